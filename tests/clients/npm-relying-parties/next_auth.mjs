// An app that signs users in with next-auth 4. Environment variables: ISSUER, CLIENT_ID, PORT.

import cookieParser from 'cookie-parser'
import express from 'express'
import nextAuth from 'next-auth'
import { getServerSession } from 'next-auth/next'

import { refresh, revoke } from './tokens.mjs'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
process.env.NEXTAUTH_URL = `http://127.0.0.1:${port}`

// As in the library's guides to custom providers and to refresh tokens. `expired` replaces the check whether the access
// token has expired.
const options = (expired = false) => ({
  secret: 'a secret for tests, and for tests only',
  providers: [
    {
      id: 'steward',
      name: 'Steward',
      type: 'oauth',
      wellKnown: `${issuer}/.well-known/openid-configuration`,
      authorization: { params: { scope: 'openid email profile' } },
      idToken: true,
      checks: ['pkce', 'state'],
      clientId,
      clientSecret: 'unused',
      profile: ({ sub, name, email, picture }) => ({ id: sub, name, email, image: picture }),
    },
  ],
  callbacks: {
    async jwt({ token, account }) {
      if (account) return { ...token, refreshToken: account.refresh_token }
      if (!expired) return token
      return { ...token, refreshToken: await refresh(token.refreshToken) }
    },
    session: ({ session, token }) => ({ ...session, refreshToken: token.refreshToken }),
  },
  events: { signOut: ({ token }) => revoke(token.refreshToken) },
})

const app = express()
app.use(cookieParser(), express.urlencoded())
// The request of a Next.js API route in `pages/api/auth/[...nextauth]`.
app.use('/api/auth', ({ method, headers, cookies, body, query, path }, response) => {
  const nextauth = path.slice(1).split('/')
  return nextAuth.default({ method, headers, cookies, body, query: { ...query, nextauth } }, response, options())
})
app.get('/', (_, response) => response.send('Home'))
app.get('/login', (_, response) => response.redirect('/api/auth/signin'))
app.get('/logout', (_, response) => response.redirect('/api/auth/signout'))
app.get('/user', async (request, response) => {
  const session = await getServerSession(request, response, options())
  response.json(session && { name: session.user.name, email: session.user.email })
})
app.get('/refresh', async (request, response) => {
  const { refreshToken } = await getServerSession(request, response, options(true))
  response.json({ refresh_token: refreshToken })
})
app.listen(port, '127.0.0.1')
