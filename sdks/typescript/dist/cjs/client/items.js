"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Items = void 0;
const call_js_1 = require("../admin/call.js");
const own_items_js_1 = require("../generated/own_items.js");
const query_js_1 = require("./query.js");
/** The items of the signed-in person in one table, read from and stored in the service. */
class Items {
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
        const parameters = { ...(0, query_js_1.parametersOf)(where, order), limit: pageSize };
        return new call_js_1.List((cursor) => this.#call(own_items_js_1.ownItems.listOwnItems, [], undefined, { ...parameters, cursor }, options));
    }
    /** Returns an item. Its `ETag` is in `withResponse()`. Fails with `not_found` if there is none with this ID. */
    get(id, options) {
        return this.#call(own_items_js_1.ownItems.getOwnItem, [id], undefined, undefined, options);
    }
    /** Creates an item. The service generates its ID. */
    create(value, options) {
        return this.#call(own_items_js_1.ownItems.createOwnItem, [], { value }, undefined, options);
    }
    /**
     * Creates or replaces an item. With `ifMatch`, it replaces only the version with this `ETag`; with `ifNoneMatch: "*"`, it
     * creates only. Otherwise it fails with `precondition_failed`.
     */
    put(id, value, options) {
        return this.#call(own_items_js_1.ownItems.putOwnItem, [id], { value }, undefined, options);
    }
    /** Changes fields of an item. */
    patch(id, changes, options) {
        return this.#call(own_items_js_1.ownItems.patchOwnItem, [id], { value: changes }, undefined, options);
    }
    /** @deprecated Call `patch`. */
    update(id, changes, options) {
        return this.patch(id, changes, options);
    }
    /** Deletes an item. Returns it as it was. */
    delete(id, options) {
        return this.#call(own_items_js_1.ownItems.deleteOwnItem, [id], undefined, undefined, options);
    }
    /** Performs 1 to 100 operations: all of them, or none. Returns the items in the order of the operations. */
    batch(operations, options) {
        return this.#call(own_items_js_1.ownItems.batchOwnItems, [], { operations }, undefined, options);
    }
    #call(row, ids, body, query, options) {
        return (0, call_js_1.callOf)(this.transport, row, [this.projectId, this.table, ...ids], body, query, options);
    }
}
exports.Items = Items;
//# sourceMappingURL=items.js.map