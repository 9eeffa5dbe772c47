// An OpenID provider with the library oidc-provider, for tests in which the service is the relying party. It shows no
// pages: every authorization request signs in the person that the test has chosen, and grants the scopes. Environment
// variables: PORT, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI.

import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'

import { interactionPolicy, Provider } from 'oidc-provider'
import { createMemoryAdapter } from 'oidc-provider/lib/adapters/memory_adapter.js'

const { PORT: port, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, REDIRECT_URI: redirectUri } = process.env

// The library prints notices with this function. The standard output is for the line that the test waits for.
console.info = console.error

const keyTypes = {
  RS256: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  EdDSA: ['ed25519', {}],
}
const keys = {}
for (const alg in keyTypes) keys[alg] = generateKey(alg)

const client = {
  client_id: clientId,
  redirect_uris: [redirectUri],
  id_token_signed_response_alg: 'RS256',
  ...(clientSecret ? { client_secret: clientSecret } : { token_endpoint_auth_method: 'none' }),
}
// All providers of this process have the same codes and tokens.
const adapter = createMemoryAdapter()
const people = new Map()
// Undefined: the person refuses, or there is none yet.
let person
const requests = []
let handle

const routes = {
  'POST /test/person': (claims) => {
    person = claims.denied ? undefined : claims
    if (person) people.set(person.sub, person)
  },
  'POST /test/client': (settings) => {
    client.redirect_uris = [settings.redirect_uri]
    replaceProvider()
  },
  'POST /test/signing': ({ alg }) => {
    keys[alg] = generateKey(alg)
    client.id_token_signed_response_alg = alg
    replaceProvider()
  },
  'GET /test/requests': () => requests,
}

const server = createServer(async (request, response) => {
  const route = routes[`${request.method} ${request.url}`]
  if (!route) return handle(request, response)
  const result = route(request.method === 'POST' ? await json(request) : undefined)
  response.writeHead(result ? 200 : 204, { 'content-type': 'application/json' })
  response.end(result && JSON.stringify(result))
})
server.listen(port, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${server.address().port}`
replaceProvider()
console.log(`READY ${issuer}`)

// The test has ended.
process.stdin.on('close', () => process.exit()).resume()

function generateKey(alg) {
  const [type, options] = keyTypes[alg]
  const key = generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' })
  return { ...key, kid: randomUUID(), use: 'sig', alg }
}

// The settings of a provider cannot be changed.
function replaceProvider() {
  const provider = new Provider(issuer, {
    adapter,
    claims: {
      email: ['email', 'email_verified'],
      openid: ['sub'],
      profile: ['name', 'preferred_username'],
    },
    clients: [client],
    cookies: { keys: ['a secret for tests, and for tests only'] },
    expiresWithSession: () => false,
    features: { devInteractions: { enabled: false } },
    findAccount: (_, accountId) => ({ accountId, claims: () => people.get(accountId) }),
    interactions: { policy: ['login', 'consent', 'select_account'].map(promptWithoutPage) },
    jwks: { keys: Object.values(keys) },
    loadExistingGrant: grantScopes,
    pkce: { required: () => true },
  })
  // Without the account of a session, the library responds with access_denied.
  provider.Session.get = async ({ oidc }) => {
    const session = new provider.Session()
    if (person) session.loginAccount({ accountId: person.sub })
    oidc.entity('Session', session)
    return session
  }
  provider.use(record)
  handle = provider.callback()
}

// The library accepts this value of the parameter `prompt`, and ignores it.
function promptWithoutPage(name) {
  const prompt = new interactionPolicy.Prompt({ name, requestable: true })
  prompt.checks.clear()
  return prompt
}

async function grantScopes({ oidc }) {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.account.accountId })
  grant.addOIDCScope('openid email profile')
  await grant.save()
  return grant
}

async function record(ctx, next) {
  await next()
  const body = ctx.oidc?.body ?? {}
  if (ctx.oidc?.route === 'authorization') {
    requests.push({ endpoint: 'authorize', params: { ...ctx.query, ...body } })
  } else if (ctx.oidc?.route === 'token') {
    const clientAuth = ctx.headers.authorization ? 'basic' : body.client_secret ? 'post' : 'none'
    requests.push({ endpoint: 'token', client_auth: clientAuth, has_verifier: Boolean(body.code_verifier) })
  }
}
