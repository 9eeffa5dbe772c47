// A device on which a user signs in with openid-client. Environment variables: ISSUER, CLIENT_ID. Prints the codes, each
// error of a request for tokens, and the user.

import { webcrypto } from 'node:crypto'

import * as client from 'openid-client'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, CLIENT_ID: clientId } = process.env

// The service uses plain HTTP on localhost. The library verifies the signature of an ID token from the token endpoint
// only if this is requested.
const options = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] }
const config = await client.discovery(new URL(issuer), clientId, undefined, undefined, options)

const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid profile email' })
print(codes)

// The library does not report the errors after which it tries again.
config[client.customFetch] = async (url, request) => {
  const response = await fetch(url, request)
  if (!response.ok) print({ error: (await response.clone().json()).error })
  return response
}
try {
  const tokens = await client.pollDeviceAuthorizationGrant(config, codes)
  const { name, email } = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub)
  const renewed = await client.refreshTokenGrant(config, tokens.refresh_token)
  print({ name, email, refreshed: renewed.refresh_token !== tokens.refresh_token })
} catch (error) {
  // The error is printed above.
  if (!(error instanceof client.ResponseBodyError)) throw error
}

function print(line) {
  console.log(JSON.stringify(line))
}
