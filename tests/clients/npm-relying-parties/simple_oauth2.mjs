// An app that signs users in with simple-oauth2. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT.

import { randomUUID } from 'node:crypto'

import express from 'express'
import session from 'express-session'
import { AuthorizationCode } from 'simple-oauth2'

const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: port } = process.env
const redirectUri = `http://127.0.0.1:${port}/callback`

const client = new AuthorizationCode({
  client: { id: clientId, secret: clientSecret },
  auth: { tokenHost: issuer, tokenPath: '/auth/token', authorizePath: '/auth/authorize' },
})

const app = express()
app.use(session({ secret: 'a secret for tests, and for tests only', resave: false, saveUninitialized: false }))
app.get('/', (_, response) => response.send('Home'))
app.get('/login', (request, response) => {
  request.session.state = randomUUID()
  const { state } = request.session
  response.redirect(client.authorizeURL({ redirect_uri: redirectUri, scope: ['openid', 'profile', 'email'], state }))
})
app.get('/callback', async ({ query: { code, state }, session }, response) => {
  if (state !== session.state) throw new Error('The state is another one.')
  const { token } = await client.getToken({ code, redirect_uri: redirectUri })
  const headers = { Authorization: `Bearer ${token.access_token}` }
  const answer = await fetch(`${issuer}/auth/userinfo`, { headers })
  const { name, email } = await answer.json()
  session.user = { name, email }
  response.redirect('/')
})
app.get('/user', ({ session: { user } }, response) => response.json(user ?? null))
app.get('/logout', ({ session }, response) => session.destroy(() => response.redirect('/')))
app.listen(port, '127.0.0.1')
