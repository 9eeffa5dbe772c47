// An app that signs users in with next-auth 5. Environment variables: ISSUER, CLIENT_ID, PORT.

import NextAuth from 'next-auth'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
// Next.js takes 127.0.0.1 for this name.
process.env.AUTH_URL = `http://localhost:${port}`

// As in the library's guides to custom providers and to refresh tokens. An update of the session replaces the check whether
// the access token has expired.
export const { auth, handlers, signIn, signOut, unstable_update: update } = NextAuth({
  secret: 'a secret for tests, and for tests only',
  providers: [{ id: 'steward', name: 'Steward', type: 'oidc', issuer, clientId, clientSecret: 'unused' }],
  callbacks: {
    async jwt({ token, account, trigger }) {
      if (account) return { ...token, refreshToken: account.refresh_token }
      if (trigger !== 'update') return token
      const tokens = await post('/auth/token', { grant_type: 'refresh_token', refresh_token: token.refreshToken })
      return { ...token, refreshToken: JSON.parse(tokens).refresh_token }
    },
    session: ({ session, token }) => ({ ...session, refreshToken: token.refreshToken }),
  },
  events: { signOut: ({ token }) => post('/auth/revoke', { token: token.refreshToken }) },
})

async function post(path, parameters) {
  const body = new URLSearchParams({ client_id: clientId, ...parameters })
  const response = await fetch(issuer + path, { method: 'POST', body })
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
