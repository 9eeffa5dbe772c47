// An app that signs users in with oauth4webapi through pushed requests, and acts on its own behalf at /machine. Environment
// variables: ISSUER, PORT, and CLIENT_ID and CLIENT_SECRET, or INITIAL_ACCESS_TOKEN, with which the app registers itself. With
// CLIENT_KEY instead of CLIENT_SECRET, a private JWK, it signs assertions, and its tokens are bound to another key.

import { webcrypto } from 'node:crypto'

import express from 'express'
import session from 'express-session'
import * as oauth from 'oauth4webapi'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: port } = process.env
const { INITIAL_ACCESS_TOKEN: initialAccessToken, CLIENT_KEY: clientKey } = process.env
const redirectUri = `http://127.0.0.1:${port}/callback`

// The service uses plain HTTP on localhost.
const options = { [oauth.allowInsecureRequests]: true }
const server = await oauth.processDiscoveryResponse(
  new URL(issuer),
  await oauth.discoveryRequest(new URL(issuer), options),
)
const client = initialAccessToken ? await register() : { client_id: clientId, client_secret: clientSecret }
const secret = clientKey ? await privateKey() : oauth.ClientSecretBasic(client.client_secret)
// The options of requests with tokens, or for them.
const bound = clientKey ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')), ...options } : options

const app = express()
app.use(session({ secret: 'a secret for tests, and for tests only', resave: false, saveUninitialized: false }))
app.get('/', (_, response) => response.send('Home'))
// As in the library's examples, which send no state to a server that supports PKCE.
app.get('/login', async (request, response) => {
  const [verifier, nonce] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomNonce()]
  request.session.pending = { verifier, nonce }
  const parameters = {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    nonce,
  }
  const answer = await oauth.pushedAuthorizationRequest(server, client, secret, parameters, bound)
  const pushed = await oauth.processPushedAuthorizationResponse(server, client, answer)
  const authorize = new URL(server.authorization_endpoint)
  authorize.searchParams.set('client_id', client.client_id)
  authorize.searchParams.set('request_uri', pushed.request_uri)
  response.redirect(authorize.href)
})
app.get('/callback', async ({ originalUrl, session }, response) => {
  const { verifier, nonce } = session.pending
  const parameters = oauth.validateAuthResponse(server, client, new URL(originalUrl, redirectUri))
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    secret,
    parameters,
    redirectUri,
    verifier,
    bound,
  )
  const expected = { expectedNonce: nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, expected)
  await oauth.validateApplicationLevelSignature(server, answer, options)
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)
  const claims = await oauth.userInfoRequest(server, client, tokens.access_token, bound)
  const { name, email } = await oauth.processUserInfoResponse(server, client, sub, claims)
  session.user = { name, email }
  session.refreshToken = tokens.refresh_token
  response.redirect('/')
})
app.get('/user', ({ session: { user } }, response) => response.json(user ?? null))
app.get('/refresh', async ({ session }, response) => {
  const answer = await oauth.refreshTokenGrantRequest(server, client, secret, session.refreshToken, bound)
  const tokens = await oauth.processRefreshTokenResponse(server, client, answer)
  session.refreshToken = tokens.refresh_token
  response.json({ refresh_token: tokens.refresh_token })
})
app.get('/logout', async ({ session }, response) => {
  const answer = await oauth.revocationRequest(server, client, secret, session.refreshToken, options)
  await oauth.processRevocationResponse(answer)
  session.destroy(() => response.redirect('/'))
})
app.get('/machine', async (_, response) => {
  const answer = await oauth.clientCredentialsGrantRequest(server, client, secret, { scope: 'read' }, bound)
  const tokens = await oauth.processClientCredentialsResponse(server, client, answer)
  const introspection = await oauth.introspectionRequest(server, client, secret, tokens.access_token, options)
  const { scope, active } = await oauth.processIntrospectionResponse(server, client, introspection)
  response.json({ scope, active })
})
app.listen(port, '127.0.0.1')

async function privateKey() {
  const { kid, ...jwk } = JSON.parse(clientKey)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  return oauth.PrivateKeyJwt({ kid, key: await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']) })
}

async function register() {
  const metadata = { redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'] }
  const answer = await oauth.dynamicClientRegistrationRequest(server, metadata, { initialAccessToken, ...options })
  return oauth.processDynamicClientRegistrationResponse(answer)
}
