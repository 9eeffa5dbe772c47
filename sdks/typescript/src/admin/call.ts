import { StewardError } from "../error.js";
import { pathOf } from "../service_url.js";
import { json, randomId, type RawResponse, type RequestOptions, send, type Transport } from "../transport.js";

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

/** All options. @internal */
export type AnyOptions = CallOptions & KeyedOptions & ConditionalOptions;

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

/** Query of a request. @internal */
export type Query = object | undefined;

/** A request that was sent. Await it for what it returns. */
export class Call<T> implements PromiseLike<T> {
  readonly #response: Promise<ApiResponse<T>>;

  /** @internal */
  constructor(response: Promise<ApiResponse<T>>) {
    this.#response = response;
  }

  /** Waits for the response. Returns it with its status, `ETag` and headers. */
  withResponse(): Promise<ApiResponse<T>> {
    return this.#response;
  }

  then<A = T, B = never>(
    onFulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#response.then((response) => response.data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  /** Cursor of the next page; null or absent on the last one. */
  next_cursor?: string | null;
}

/** A list that is read in pages when it is needed: `for await (const entry of list)`. */
export class List<T> implements AsyncIterable<T> {
  readonly #page: (cursor?: string) => Call<Page<T>>;

  /** @internal */
  constructor(page: (cursor?: string) => Call<Page<T>>) {
    this.#page = page;
  }

  /** Returns one page: the first one, or that of a cursor. */
  page(cursor?: string): Call<Page<T>> {
    return this.#page(cursor);
  }

  /** Reads page by page. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let cursor: string | undefined;
    do {
      const page = await this.#page(cursor);
      yield page;
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Returns at most this number of entries, from the start. */
  async first(count: number): Promise<T[]> {
    const found: T[] = [];
    if (count > 0) {
      for await (const entry of this) {
        found.push(entry);
        if (found.length >= count) break;
      }
    }
    return found;
  }

  /** Returns all entries. */
  all(): Promise<T[]> {
    return this.first(Infinity);
  }
}

/** Sends a request for an operation. @internal */
export function callOf<T>(...parameters: Parameters<typeof request>): Call<T> {
  return new Call(request<T>(...parameters));
}

async function request<T>(
  transport: Transport,
  operation: Operation,
  ids: readonly string[],
  body: unknown,
  query: Query,
  options: AnyOptions = {},
  response = operation.response,
): Promise<ApiResponse<T>> {
  const { bytes, type } = await encode(operation.body, body);
  const headers: Record<string, string> = {};
  if (type) headers["content-type"] = type;
  if (operation.isKeyed) headers["idempotency-key"] = options.idempotencyKey ?? randomId();
  if (options.ifMatch) headers["if-match"] = options.ifMatch;
  if (options.ifNoneMatch) headers["if-none-match"] = options.ifNoneMatch;
  if (options.requestId) headers["x-request-id"] = options.requestId;
  const path = pathOf(operation.path, ids) + queryOf(operation, query);
  const received = await send(transport, { method: operation.method, path, headers, ...(bytes !== undefined && { body: bytes }) }, options);
  return {
    data: (await decode(received, response)) as T,
    status: received.status,
    etag: received.headers.get("etag") ?? undefined,
    requestId: received.headers.get("x-request-id") ?? undefined,
    headers: received.headers,
  };
}

/** Encodes the body once: a retry must send the same bytes, also those between the parts of a form. */
async function encode(kind: Operation["body"], body: unknown): Promise<{ bytes?: string | ArrayBuffer; type?: string }> {
  if (body === undefined || kind === undefined) return {};
  const members = Object.entries(body as Record<string, unknown>).filter(([, value]) => value !== undefined && value !== null);
  switch (kind) {
    case "json":
      return { bytes: JSON.stringify(body), type: "application/json" };
    case "form":
      return { bytes: new URLSearchParams(members.map(([name, value]) => [name, String(value)])).toString(), type: "application/x-www-form-urlencoded" };
    case "multipart": {
      const form = new FormData();
      for (const [name, value] of members) form.append(name, value instanceof Blob ? value : String(value));
      const encoded = new Response(form);
      return { bytes: await encoded.arrayBuffer(), type: encoded.headers.get("content-type")! };
    }
  }
}

async function decode(received: RawResponse, kind: Operation["response"]): Promise<unknown> {
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
      if (body && typeof body === "object" && "data" in body) return body.data;
      throw new StewardError("invalid_response", "The response of the service has no member `data`.", { status: received.status });
    }
  }
}

/** The query with its question mark. Absent values are left out, and lists are repeated. */
function queryOf(operation: Operation, query: Query): string {
  const parameters = new URLSearchParams();
  const add = (members: object) => {
    for (const [name, value] of Object.entries(members)) {
      if (name === operation.exploded) add(value as object);
      else for (const single of [value].flat()) if (single !== undefined && single !== null) parameters.append(name, String(single));
    }
  };
  add(query ?? {});
  const text = parameters.toString();
  return text && `?${text}`;
}
