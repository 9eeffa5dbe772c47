import { callOf, List } from "./call.js";
/** Entries per page, unless the query sets another number. */
const PAGE_SIZE = 100;
/** A group of operations. */
export class Resource {
    #transport;
    /** @internal */
    constructor(transport) {
        this.#transport = transport;
    }
    /** @internal */
    _call(operation, ids, body, query, options) {
        return callOf(this.#transport, operation, ids, body, parametersOf(query), options);
    }
    /** @internal */
    _list(operation, ids, _body, query, options) {
        // An offset applies to the first page: the cursor continues after it.
        const { offset, ...others } = parametersOf(query);
        return new List((cursor) => {
            const place = cursor === undefined ? { offset } : { cursor };
            return callOf(this.#transport, operation, ids, undefined, { limit: PAGE_SIZE, ...others, ...place }, options, "json");
        });
    }
}
/** The parameters that the API has: it calls the number of entries per page `limit`. */
function parametersOf(query) {
    const { pageSize, ...others } = (query ?? {});
    return pageSize === undefined ? others : { ...others, limit: pageSize };
}
//# sourceMappingURL=resource.js.map