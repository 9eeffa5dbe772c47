// A client that signs a user in and out with openid-client. Arguments: issuer, client ID, redirect URI, and redirect URI
// after signing out. Prints {"authorize": URL}, reads the callback URL from standard input, and prints the results and
// {"logout": URL}.

import { webcrypto } from 'node:crypto'
import { setDefaultResultOrder } from 'node:dns'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { decodeJwt } from 'jose'
import * as client from 'openid-client'

import { verifier } from './verify.mjs'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto
// Node.js 18 tries only the first address of localhost, which is often ::1.
setDefaultResultOrder('ipv4first')

const [issuer, clientId, redirectUri, signedOut] = process.argv.slice(2)

const config = await client.discovery(new URL(issuer), clientId, undefined, client.None(), {
  // The service uses plain HTTP on localhost. The library verifies the signature of an ID token from the token endpoint
  // only if this is requested.
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
const reuse = await errorCode(redeem())
const revoked = await errorCode(client.refreshTokenGrant(config, renewed.refresh_token))
print({ sub, email, name, refreshed, reuse, revoked, verified: await verified(tokens.access_token) })

const logout = client.buildEndSessionUrl(config, {
  id_token_hint: tokens.id_token,
  post_logout_redirect_uri: signedOut,
})
print({ logout })

function print(line) {
  console.log(JSON.stringify(line))
}

// Verifies a token as the guide for MCP servers does. Returns whether its audience is accepted, and the error codes of another
// audience and of a token that was changed.
async function verified(token) {
  const { aud, sub: account } = decodeJwt(token)
  const verify = verifier(issuer, aud)
  const [header, payload, signature] = token.split('.')
  const changed = [header, payload, signature.replaceAll(/./g, 'A')].join('.')
  const code = (error) => error.code
  return [
    (await verify(token)).account === account,
    await verifier(issuer, `${aud}0`)(token).catch(code),
    await verify(changed).catch(code),
  ]
}

// Returns the OAuth error code of a failed request, or null if it succeeds.
async function errorCode(request) {
  try {
    await request
    return null
  } catch (error) {
    if (error instanceof client.ResponseBodyError) return error.error
    throw error
  }
}
