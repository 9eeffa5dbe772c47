import { StewardError } from "../error.js";
import { pathOf } from "../service_url.js";
import { json, randomId, send } from "../transport.js";
/** A request that was sent. Await it for what it returns. */
export class Call {
    #response;
    /** @internal */
    constructor(response) {
        this.#response = response;
    }
    /** Waits for the response. Returns it with its status, `ETag` and headers. */
    withResponse() {
        return this.#response;
    }
    then(onFulfilled, onRejected) {
        return this.#response.then((response) => response.data).then(onFulfilled, onRejected);
    }
    catch(onRejected) {
        return this.then(undefined, onRejected);
    }
    finally(onFinally) {
        return this.then().finally(onFinally);
    }
}
/** A list that is read in pages when it is needed: `for await (const entry of list)`. */
export class List {
    #page;
    /** @internal */
    constructor(page) {
        this.#page = page;
    }
    /** Returns one page: the first one, or that of a cursor. */
    page(cursor) {
        return this.#page(cursor);
    }
    /** Reads page by page. */
    async *pages() {
        let cursor;
        do {
            const page = await this.#page(cursor);
            yield page;
            cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
    }
    async *[Symbol.asyncIterator]() {
        for await (const page of this.pages())
            yield* page.data;
    }
    /** Returns at most this number of entries, from the start. */
    async first(count) {
        const found = [];
        if (count > 0) {
            for await (const entry of this) {
                found.push(entry);
                if (found.length >= count)
                    break;
            }
        }
        return found;
    }
    /** Returns all entries. */
    all() {
        return this.first(Infinity);
    }
}
/** Sends a request for an operation. @internal */
export function callOf(...parameters) {
    return new Call(request(...parameters));
}
async function request(transport, operation, ids, body, query, options = {}, response = operation.response) {
    const { bytes, type } = await encode(operation.body, body);
    const headers = {};
    if (type)
        headers["content-type"] = type;
    if (operation.isKeyed)
        headers["idempotency-key"] = options.idempotencyKey ?? randomId();
    if (options.ifMatch)
        headers["if-match"] = options.ifMatch;
    if (options.ifNoneMatch)
        headers["if-none-match"] = options.ifNoneMatch;
    if (options.requestId)
        headers["x-request-id"] = options.requestId;
    const path = pathOf(operation.path, ids) + queryOf(operation, query);
    const received = await send(transport, { method: operation.method, path, headers, ...(bytes !== undefined && { body: bytes }) }, options);
    return {
        data: (await decode(received, response)),
        status: received.status,
        etag: received.headers.get("etag") ?? undefined,
        requestId: received.headers.get("x-request-id") ?? undefined,
        headers: received.headers,
    };
}
/** Encodes the body once: a retry must send the same bytes, also those between the parts of a form. */
async function encode(kind, body) {
    if (body === undefined || kind === undefined)
        return {};
    const members = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
    switch (kind) {
        case "json":
            return { bytes: JSON.stringify(body), type: "application/json" };
        case "form":
            return { bytes: new URLSearchParams(members.map(([name, value]) => [name, String(value)])).toString(), type: "application/x-www-form-urlencoded" };
        case "multipart": {
            const form = new FormData();
            for (const [name, value] of members)
                form.append(name, value instanceof Blob ? value : String(value));
            const encoded = new Response(form);
            return { bytes: await encoded.arrayBuffer(), type: encoded.headers.get("content-type") };
        }
    }
}
async function decode(received, kind) {
    switch (kind) {
        case "empty":
            return undefined;
        case "text":
            return received.body.text();
        case "blob":
            return received.body.blob();
        case "location":
            return received.headers.get("location") ?? undefined;
        case "json":
            return json(received);
        case "data": {
            const body = await json(received);
            if (body && typeof body === "object" && "data" in body)
                return body.data;
            throw new StewardError("invalid_response", "The response of the service has no member `data`.", { status: received.status });
        }
    }
}
/** The query with its question mark. Absent values are left out, and lists are repeated. */
function queryOf(operation, query) {
    const parameters = new URLSearchParams();
    const add = (members) => {
        for (const [name, value] of Object.entries(members)) {
            if (name === operation.exploded)
                add(value);
            else
                for (const single of [value].flat())
                    if (single !== undefined && single !== null)
                        parameters.append(name, String(single));
        }
    };
    add(query ?? {});
    const text = parameters.toString();
    return text && `?${text}`;
}
//# sourceMappingURL=call.js.map