/** The rows of the operations of the items of the signed-in user. */
export declare const ownItems: {
    readonly listOwnItems: {
        readonly method: "GET";
        readonly path: "/account/{project_id}/db/{table_id}";
        readonly exploded: "conditions";
        readonly response: "json";
    };
    readonly createOwnItem: {
        readonly method: "POST";
        readonly path: "/account/{project_id}/db/{table_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly batchOwnItems: {
        readonly method: "POST";
        readonly path: "/account/{project_id}/db/{table_id}/batch";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly getOwnItem: {
        readonly method: "GET";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly response: "data";
    };
    readonly putOwnItem: {
        readonly method: "PUT";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
    readonly deleteOwnItem: {
        readonly method: "DELETE";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly response: "data";
    };
    readonly patchOwnItem: {
        readonly method: "PATCH";
        readonly path: "/account/{project_id}/db/{table_id}/{item_id}";
        readonly isKeyed: true;
        readonly body: "json";
        readonly response: "data";
    };
};
