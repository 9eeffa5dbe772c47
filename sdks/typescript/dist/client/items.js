import { callOf, List } from "../admin/call.js";
import { ownItems } from "../generated/own_items.js";
import { parametersOf } from "./query.js";
/** The items of the signed-in person in one table, read from and stored in the service. */
export class Items {
    transport;
    projectId;
    table;
    /** @internal */
    constructor(transport, projectId, table) {
        this.transport = transport;
        this.projectId = projectId;
        this.table = table;
    }
    /** Lists the items that meet all conditions: page by page with `for await`, or with `all`, `first` and `page`. */
    list(query = {}, options) {
        const { where, order, limit = 100, pageSize = limit } = query;
        const parameters = { ...parametersOf(where, order), limit: pageSize };
        return new List((cursor) => this.#call(ownItems.listOwnItems, [], undefined, { ...parameters, cursor }, options));
    }
    /** Returns an item. Its `ETag` is in `withResponse()`. Fails with `not_found` if there is none with this ID. */
    get(id, options) {
        return this.#call(ownItems.getOwnItem, [id], undefined, undefined, options);
    }
    /** Creates an item. The service generates its ID. */
    create(value, options) {
        return this.#call(ownItems.createOwnItem, [], { value }, undefined, options);
    }
    /**
     * Creates or replaces an item. With `ifMatch`, it replaces only the version with this `ETag`; with `ifNoneMatch: "*"`, it
     * creates only. Otherwise it fails with `precondition_failed`.
     */
    put(id, value, options) {
        return this.#call(ownItems.putOwnItem, [id], { value }, undefined, options);
    }
    /** Changes fields of an item. */
    patch(id, changes, options) {
        return this.#call(ownItems.patchOwnItem, [id], { value: changes }, undefined, options);
    }
    /** @deprecated Call `patch`. */
    update(id, changes, options) {
        return this.patch(id, changes, options);
    }
    /** Deletes an item. Returns it as it was. */
    delete(id, options) {
        return this.#call(ownItems.deleteOwnItem, [id], undefined, undefined, options);
    }
    /** Performs 1 to 100 operations: all of them, or none. Returns the items in the order of the operations. */
    batch(operations, options) {
        return this.#call(ownItems.batchOwnItems, [], { operations }, undefined, options);
    }
    #call(row, ids, body, query, options) {
        return callOf(this.transport, row, [this.projectId, this.table, ...ids], body, query, options);
    }
}
//# sourceMappingURL=items.js.map