"use strict";
// Generated from docs/openapi.json by scripts/generate.mjs. Do not edit.
Object.defineProperty(exports, "__esModule", { value: true });
exports.ownItems = void 0;
/** The rows of the operations of the items of the signed-in user. */
exports.ownItems = {
    listOwnItems: { method: "GET", path: "/account/{project_id}/db/{table_id}", exploded: "conditions", response: "json" },
    createOwnItem: { method: "POST", path: "/account/{project_id}/db/{table_id}", isKeyed: true, body: "json", response: "data" },
    batchOwnItems: { method: "POST", path: "/account/{project_id}/db/{table_id}/batch", isKeyed: true, body: "json", response: "data" },
    getOwnItem: { method: "GET", path: "/account/{project_id}/db/{table_id}/{item_id}", response: "data" },
    putOwnItem: { method: "PUT", path: "/account/{project_id}/db/{table_id}/{item_id}", isKeyed: true, body: "json", response: "data" },
    deleteOwnItem: { method: "DELETE", path: "/account/{project_id}/db/{table_id}/{item_id}", isKeyed: true, response: "data" },
    patchOwnItem: { method: "PATCH", path: "/account/{project_id}/db/{table_id}/{item_id}", isKeyed: true, body: "json", response: "data" },
};
//# sourceMappingURL=own_items.js.map