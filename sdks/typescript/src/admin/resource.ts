import type { Transport } from "../transport.js";
import { type AnyOptions, type Call, callOf, List, type Operation, type Page, type Query } from "./call.js";

/** Entries per page, unless the query sets another number. */
const PAGE_SIZE = 100;

/** A group of operations. */
export class Resource {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** @internal */
  protected _call<T>(operation: Operation, ids: readonly string[], body: unknown, query: Query, options?: AnyOptions): Call<T> {
    return callOf(this.#transport, operation, ids, body, parametersOf(query), options);
  }

  /** @internal */
  protected _list<T>(operation: Operation, ids: readonly string[], _body: unknown, query: Query, options?: AnyOptions): List<T> {
    // An offset applies to the first page: the cursor continues after it.
    const { offset, ...others } = parametersOf(query);
    return new List<T>((cursor) => {
      const place = cursor === undefined ? { offset } : { cursor };
      return callOf<Page<T>>(this.#transport, operation, ids, undefined, { limit: PAGE_SIZE, ...others, ...place }, options, "json");
    });
  }
}

/** The parameters that the API has: it calls the number of entries per page `limit`. */
function parametersOf(query: Query): Record<string, unknown> {
  const { pageSize, ...others } = (query ?? {}) as Record<string, unknown>;
  return pageSize === undefined ? others : { ...others, limit: pageSize };
}
