// An app that signs users in with openid-client through pushed requests, and acts on its own behalf at /machine. Environment
// variables: ISSUER, PORT, and CLIENT_ID and CLIENT_SECRET, or INITIAL_ACCESS_TOKEN, with which the app registers itself. With
// CLIENT_KEY instead of CLIENT_SECRET, a private JWK, it signs assertions, and its tokens are bound to another key.

import { webcrypto } from 'node:crypto'

import express from 'express'
import session from 'express-session'
import * as client from 'openid-client'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: port } = process.env
const { INITIAL_ACCESS_TOKEN: initialAccessToken, CLIENT_KEY: clientKey } = process.env
const redirectUri = `http://127.0.0.1:${port}/callback`

// The service uses plain HTTP on localhost. The library verifies the signature of an ID token from the token endpoint
// only if this is requested.
const options = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] }
// By default, the library sends the secret in the body.
const machine = initialAccessToken ? await register() : await discover(clientKey && (await privateKey()))
const web = initialAccessToken || clientKey ? machine : await discover(client.ClientSecretBasic())
// The options of requests with tokens, or for them.
const bound = clientKey ? { DPoP: client.getDPoPHandle(web, await client.randomDPoPKeyPair()) } : undefined

const app = express()
app.use(session({ secret: 'a secret for tests, and for tests only', resave: false, saveUninitialized: false }))
app.get('/', (_, response) => response.send('Home'))
app.get('/login', async (request, response) => {
  const [verifier, nonce] = [client.randomPKCECodeVerifier(), client.randomNonce()]
  request.session.checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, idTokenExpected: true }
  const authorize = await client.buildAuthorizationUrlWithPAR(
    web,
    {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      nonce,
    },
    bound,
  )
  response.redirect(authorize.href)
})
app.get('/callback', async ({ originalUrl, session }, response) => {
  const callback = new URL(originalUrl, redirectUri)
  const tokens = await client.authorizationCodeGrant(web, callback, session.checks, undefined, bound)
  const { name, email } = await client.fetchUserInfo(web, tokens.access_token, tokens.claims().sub, bound)
  session.user = { name, email }
  session.refreshToken = tokens.refresh_token
  response.redirect('/')
})
app.get('/user', ({ session: { user } }, response) => response.json(user ?? null))
app.get('/refresh', async ({ session }, response) => {
  const tokens = await client.refreshTokenGrant(web, session.refreshToken, undefined, bound)
  session.refreshToken = tokens.refresh_token
  response.json({ refresh_token: tokens.refresh_token })
})
app.get('/logout', async ({ session }, response) => {
  await client.tokenRevocation(web, session.refreshToken)
  session.destroy(() => response.redirect('/'))
})
app.get('/machine', async (_, response) => {
  const tokens = await client.clientCredentialsGrant(machine, { scope: 'read' }, bound)
  const { scope, active } = await client.tokenIntrospection(machine, tokens.access_token)
  response.json({ scope, active })
})
app.listen(port, '127.0.0.1')

function discover(authentication) {
  return client.discovery(new URL(issuer), clientId, clientSecret, authentication, options)
}

async function privateKey() {
  const { kid, ...jwk } = JSON.parse(clientKey)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  return client.PrivateKeyJwt({ kid, key: await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['sign']) })
}

function register() {
  const metadata = { redirect_uris: [redirectUri], grant_types: ['authorization_code', 'refresh_token'] }
  return client.dynamicClientRegistration(new URL(issuer), metadata, undefined, { initialAccessToken, ...options })
}
