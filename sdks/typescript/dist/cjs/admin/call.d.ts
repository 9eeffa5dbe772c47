import { type RequestOptions } from "../transport.js";
/** Options of a call. */
export interface CallOptions extends RequestOptions {
    /** Return the resource only if it no longer has this `ETag`. Otherwise the call fails with the code `not_modified`. */
    ifNoneMatch?: string;
    /** ID of the request in the log of the service, such as that of a request which this one is part of. */
    requestId?: string;
}
/** Options of a call that can be retried safely. */
export interface KeyedOptions {
    /** The `Idempotency-Key`: 1 to 255 printable ASCII characters. By default, each call has a random one. */
    idempotencyKey?: string;
}
/** Options of a call that depends on the state of the resource. */
export interface ConditionalOptions {
    /** Change the resource only if it still has this `ETag`. Otherwise the call fails with the code `precondition_failed`. */
    ifMatch?: string;
}
/** A row of the operations of the API. */
export interface Operation {
    readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
    readonly path: string;
    /** Whether the operation can be retried safely with an `Idempotency-Key`. */
    readonly isKeyed?: boolean;
    /** How the body of the request is sent. */
    readonly body?: "json" | "form" | "multipart";
    /** The parameter whose members are parameters of the query. */
    readonly exploded?: string;
    /** What is returned of the response. */
    readonly response: "data" | "json" | "text" | "blob" | "location" | "empty";
}
/** A response of the service. */
export interface ApiResponse<T> {
    /** What the call returns without the rest of the response. */
    data: T;
    status: number;
    /** The version of the resource, for `ifMatch` and `ifNoneMatch`. */
    etag: string | undefined;
    /** ID of the request in the log of the service. */
    requestId: string | undefined;
    headers: Headers;
}
/** A request that was sent. Await it for what it returns. */
export declare class Call<T> implements PromiseLike<T> {
    #private;
    /** Waits for the response. Returns it with its status, `ETag` and headers. */
    withResponse(): Promise<ApiResponse<T>>;
    then<A = T, B = never>(onFulfilled?: ((value: T) => A | PromiseLike<A>) | null, onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B>;
    catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B>;
    finally(onFinally?: (() => void) | null): Promise<T>;
}
/** One page of a list. */
export interface Page<T> {
    data: T[];
    /** Cursor of the next page; null or absent on the last one. */
    next_cursor?: string | null;
}
/** A list that is read in pages when it is needed: `for await (const entry of list)`. */
export declare class List<T> implements AsyncIterable<T> {
    #private;
    /** Returns one page: the first one, or that of a cursor. */
    page(cursor?: string): Call<Page<T>>;
    /** Reads page by page. */
    pages(): AsyncGenerator<Page<T>, void, undefined>;
    [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
    /** Returns at most this number of entries, from the start. */
    first(count: number): Promise<T[]>;
    /** Returns all entries. */
    all(): Promise<T[]>;
}
