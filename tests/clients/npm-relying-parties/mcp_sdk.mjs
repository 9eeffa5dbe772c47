// An MCP server, and a program whose MCP client signs a user in to it. The client finds the service through the server,
// and registers itself. Environment variables: ISSUER, PORT, SERVER_KEY, which is the key with which the server
// introspects tokens, and INITIAL_ACCESS_TOKEN unless the service requires none.

import { webcrypto } from 'node:crypto'

import { auth, discoverAuthorizationServerMetadata, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js'
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js'
import {
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
} from '@modelcontextprotocol/sdk/server/auth/router.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import express from 'express'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, SERVER_KEY: key, INITIAL_ACCESS_TOKEN: initialAccessToken, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`
const serverUrl = new URL(`${origin}/mcp`)
const redirectUrl = `${origin}/callback`
const implementation = { name: 'Notes', version: '1.0.0' }

const service = await discoverAuthorizationServerMetadata(issuer)
const app = express()

// The server. It has one tool, which returns the user.
const scopesSupported = ['openid', 'profile', 'email']
app.use(mcpAuthMetadataRouter({ oauthMetadata: service, resourceServerUrl: serverUrl, scopesSupported }))
const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(serverUrl)
const requireToken = requireBearerAuth({ verifier: { verifyAccessToken }, resourceMetadataUrl })
app.post('/mcp', requireToken, async (request, response) => {
  const server = new McpServer(implementation)
  server.registerTool('user', {}, async ({ authInfo }) => {
    const answer = await fetch(service.userinfo_endpoint, { headers: { Authorization: `Bearer ${authInfo.token}` } })
    const { name, email } = await answer.json()
    return { content: [{ type: 'text', text: JSON.stringify({ name, email }) }] }
  })
  const transport = new StreamableHTTPServerTransport()
  await server.connect(transport)
  await transport.handleRequest(request, response)
})

async function verifyAccessToken(token) {
  const headers = { Authorization: `Bearer ${key}` }
  const body = new URLSearchParams({ token })
  const answer = await fetch(service.introspection_endpoint, { method: 'POST', headers, body })
  const { active, client_id: clientId, scope, exp } = await answer.json()
  if (!active) throw new InvalidTokenError('The token is not active.')
  return { token, clientId, scopes: scope.split(' '), expiresAt: exp }
}

// The program. It has one user, and stores all in memory.
const stored = {}
const authProvider = {
  redirectUrl,
  clientMetadata: {
    client_name: 'Notes',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    // By default, a client has a secret.
    token_endpoint_auth_method: initialAccessToken ? undefined : 'none',
  },
  clientInformation: () => stored.client,
  saveClientInformation: (client) => Object.assign(stored, { client }),
  tokens: () => stored.tokens,
  saveTokens: (tokens) => Object.assign(stored, { tokens }),
  codeVerifier: () => stored.codeVerifier,
  saveCodeVerifier: (codeVerifier) => Object.assign(stored, { codeVerifier }),
  redirectToAuthorization: ({ href }) => Object.assign(stored, { authorize: href }),
}

// The library has no option for an initial access token.
function fetchWithToken(url, options) {
  if (!initialAccessToken || String(url) !== service.registration_endpoint) return fetch(url, options)
  return fetch(url, { ...options, headers: { ...options.headers, Authorization: `Bearer ${initialAccessToken}` } })
}

const transport = () => new StreamableHTTPClientTransport(serverUrl, { authProvider, fetch: fetchWithToken })

app.get('/', (_, response) => response.send('Home'))
app.get('/login', async (_, response) => {
  try {
    await new Client(implementation).connect(transport())
  } catch (error) {
    // The client has set the address at which the user signs in.
    if (!(error instanceof UnauthorizedError)) throw error
  }
  response.redirect(stored.authorize)
})
app.get('/callback', async ({ query: { code } }, response) => {
  await transport().finishAuth(code)
  response.redirect('/')
})
app.get('/user', async (_, response) => {
  const client = new Client(implementation)
  await client.connect(transport())
  const { content } = await client.callTool({ name: 'user' })
  await client.close()
  response.json(JSON.parse(content[0].text))
})
app.get('/refresh', async (_, response) => {
  await auth(authProvider, { serverUrl, fetchFn: fetchWithToken })
  response.json({ refresh_token: stored.tokens.refresh_token })
})
app.listen(port, '127.0.0.1')
