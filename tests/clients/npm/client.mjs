// A program that signs people in with openid-client. Arguments: issuer, client id, redirect address.
// Prints {"authorize": address}; reads the address that it was called back at; prints what it saw.

import { webcrypto } from 'node:crypto'
import { setDefaultResultOrder } from 'node:dns'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import * as client from 'openid-client'

// Node.js 18, Debian 12's, has it, but not under the global name that the library uses.
globalThis.crypto ??= webcrypto
// Node.js 18 would try only the first address of localhost, which is often ::1.
setDefaultResultOrder('ipv4first')

const [issuer, clientId, redirectUri] = process.argv.slice(2)

const config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
  // The service is at http://localhost; and the signature of the ID token is to be checked, which the library skips
  // where the token came straight from its issuer.
  execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks],
})

const pkceCodeVerifier = client.randomPKCECodeVerifier()
const expectedState = client.randomState()
const expectedNonce = client.randomNonce()
const authorize = client.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope: 'openid email profile',
  code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
  code_challenge_method: 'S256',
  state: expectedState,
  nonce: expectedNonce,
})
print({ authorize })

const [callback] = await once(createInterface({ input: process.stdin }), 'line')
const redeem = () =>
  client.authorizationCodeGrant(config, new URL(callback), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
    idTokenExpected: true,
  })

const tokens = await redeem()
const { sub } = tokens.claims()
const { email, name } = await client.fetchUserInfo(config, tokens.access_token, sub)
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token)
const refreshed =
  renewed.access_token !== tokens.access_token && renewed.refresh_token !== tokens.refresh_token
const reuse = await refusal(redeem())
const revoked = await refusal(client.refreshTokenGrant(config, renewed.refresh_token))
print({ sub, email, name, refreshed, reuse, revoked })

function print(line) {
  console.log(JSON.stringify(line))
}

// The code of the service's refusal; null when it did not refuse.
async function refusal(attempt) {
  try {
    await attempt
    return null
  } catch (error) {
    if (error instanceof client.ResponseBodyError) return error.error
    throw error
  }
}
