// Verifies the access tokens of people who use an MCP server.

import { createRemoteJWKSet, jwtVerify } from "jose";

/** `issuer`: the address of the service. `audience`: that of the project. */
export function verifier(issuer, audience) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/auth/.well-known/jwks.json`));
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: "at+jwt", algorithms: ["ES256"] });
    if (payload.sub === payload.client_id) throw new Error("The token represents no person.");
    return { account: payload.sub, client: payload.client_id, scopes: payload.scope.split(" ") };
  };
}
