// A device on which a user signs in with oauth4webapi. Environment variables: ISSUER, CLIENT_ID. Prints the codes, each
// error of a request for tokens, and the user.

import { webcrypto } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'

import * as oauth from 'oauth4webapi'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, CLIENT_ID: clientId } = process.env

const client = { client_id: clientId }
const authentication = oauth.None()
// The service uses plain HTTP on localhost.
const options = { [oauth.allowInsecureRequests]: true }
const server = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), options),
)

const scope = 'openid profile email'
const begun = await oauth.deviceAuthorizationRequest(server, client, authentication, { scope }, options)
const codes = await oauth.processDeviceAuthorizationResponse(server, client, begun)
print(codes)

let tokens
while (!tokens) {
  await setTimeout(codes.interval * 1000)
  const answer = await oauth.deviceCodeGrantRequest(server, client, authentication, codes.device_code, options)
  try {
    tokens = await oauth.processDeviceCodeResponse(server, client, answer)
    await oauth.validateApplicationLevelSignature(server, answer, options)
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error
    print({ error: error.error })
    if (error.error !== 'authorization_pending') process.exit()
  }
}

const { sub } = oauth.getValidatedIdTokenClaims(tokens)
const claims = await oauth.userInfoRequest(server, client, tokens.access_token, options)
const { name, email } = await oauth.processUserInfoResponse(server, client, sub, claims)
const answer = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token, options)
const renewed = await oauth.processRefreshTokenResponse(server, client, answer)
print({ name, email, refreshed: renewed.refresh_token !== tokens.refresh_token })

function print(line) {
  console.log(JSON.stringify(line))
}
