// An app that signs users in with Auth.js. Environment variables: ISSUER, CLIENT_ID, PORT.

import { webcrypto } from 'node:crypto'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'

import { Auth } from '@auth/core'

import { refresh, revoke } from './tokens.mjs'

// Node.js 18, the version of Debian 12, does not define the global name that the library uses.
globalThis.crypto ??= webcrypto

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`

// As in the library's guides to custom providers and to refresh tokens. `expired` replaces the check whether the access
// token has expired.
const config = (expired = false) => ({
  secret: 'a secret for tests, and for tests only',
  trustHost: true,
  providers: [{ id: 'steward', name: 'Steward', type: 'oidc', issuer, clientId, clientSecret: 'unused' }],
  callbacks: {
    async jwt({ token, account }) {
      if (account) return { ...token, refreshToken: account.refresh_token }
      if (!expired) return token
      return { ...token, refreshToken: await refresh(token.refreshToken) }
    },
    session: ({ session: { user }, token }) => ({ user, refreshToken: token.refreshToken }),
  },
  events: { signOut: ({ token }) => revoke(token.refreshToken) },
})

const routes = {
  '/': () => new Response('Home'),
  '/login': () => Response.redirect(`${origin}/auth/signin`),
  '/logout': () => Response.redirect(`${origin}/auth/signout`),
  '/user': (request) => session(request, config(), ({ user: { name, email } }) => ({ name, email })),
  '/refresh': (request) => session(request, config(true), ({ refreshToken }) => ({ refresh_token: refreshToken })),
}

const server = createServer(async (incoming, outgoing) => {
  const { method, url, headers } = incoming
  const body = method === 'POST' ? Readable.toWeb(incoming) : undefined
  const request = new Request(origin + url, { method, headers, body, duplex: 'half' })
  const route = routes[url] ?? (() => Auth(request, config()))
  const response = await route(request)
  const cookies = response.headers.getSetCookie()
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'set-cookie': cookies })
  outgoing.end(await response.text())
})
server.listen(port, '127.0.0.1')

async function session(request, config, select) {
  const response = await Auth(new Request(`${origin}/auth/session`, request), config)
  const session = await response.json()
  return Response.json(session && select(session), { headers: response.headers })
}
