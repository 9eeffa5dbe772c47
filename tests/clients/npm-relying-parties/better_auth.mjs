// An app that signs users in with Better Auth. Environment variables: ISSUER, CLIENT_ID, PORT.

import { createServer } from 'node:http'

import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'

import { revoke } from './tokens.mjs'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`

const auth = betterAuth({
  baseURL: origin,
  secret: 'a secret for tests, and for tests only',
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  telemetry: { enabled: false },
  logger: { level: 'warn' },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'steward',
          discoveryUrl: `${issuer}/.well-known/openid-configuration`,
          requireIssuerValidation: true,
          clientId,
          clientSecret: 'unused',
          scopes: ['openid', 'email', 'profile'],
        },
      ],
    }),
  ],
})

const routes = {
  '/': () => new Response('Home'),
  async '/login'({ headers }) {
    const body = { provider: 'steward', callbackURL: '/' }
    const response = await auth.api.signInSocial({ body, headers, asResponse: true })
    const { url } = await response.json()
    return redirect(url, response.headers)
  },
  async '/logout'({ headers }) {
    await revoke(await refresh(headers))
    const response = await auth.api.signOut({ headers, asResponse: true })
    return redirect(origin, response.headers)
  },
  async '/user'({ headers }) {
    const session = await auth.api.getSession({ headers })
    return Response.json(session && { name: session.user.name, email: session.user.email })
  },
  async '/refresh'({ headers }) {
    return Response.json({ refresh_token: await refresh(headers) })
  },
}

const library = toNodeHandler(auth)
const server = createServer(async (incoming, outgoing) => {
  const route = routes[incoming.url]
  if (!route) return library(incoming, outgoing)
  const headers = new Headers({ cookie: incoming.headers.cookie ?? '' })
  const response = await route({ headers })
  const cookies = response.headers.getSetCookie()
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'set-cookie': cookies })
  outgoing.end(await response.text())
})
server.listen(port, '127.0.0.1')

async function refresh(headers) {
  const [account] = (await auth.api.listUserAccounts({ headers })).filter(({ providerId }) => providerId === 'steward')
  const { refreshToken } = await auth.api.refreshToken({ body: { accountId: account.id }, headers })
  return refreshToken
}

// Redirects with the cookies of a response.
function redirect(location, cookies) {
  const headers = new Headers({ location })
  for (const cookie of cookies.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
