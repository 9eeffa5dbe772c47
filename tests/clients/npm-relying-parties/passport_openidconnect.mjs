// An app that signs users in with passport-openidconnect. Environment variables: ISSUER, CLIENT_ID, PORT.

import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'

import { refresh, revoke } from './tokens.mjs'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer,
      authorizationURL: `${issuer}/auth/authorize`,
      tokenURL: `${issuer}/auth/token`,
      userInfoURL: `${issuer}/auth/userinfo`,
      clientID: clientId,
      clientSecret: 'unused',
      callbackURL: `${origin}/callback`,
      scope: ['profile', 'email'],
    },
    // With this number of parameters, the library reads the profile from the ID token.
    (_issuer, { displayName, emails }, _context, _idToken, _accessToken, refreshToken, done) =>
      done(null, { name: displayName, email: emails[0].value, refreshToken }),
  ),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: 'a secret for tests, and for tests only', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/', (_, response) => response.send('Home'))
app.get('/login', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/' }))
app.get('/user', ({ user }, response) => response.json(user ? { name: user.name, email: user.email } : null))
app.get('/refresh', async ({ user, session }, response) => {
  const refreshToken = await refresh(user.refreshToken)
  session.passport.user = { ...user, refreshToken }
  response.json({ refresh_token: refreshToken })
})
app.get('/logout', async (request, response) => {
  await revoke(request.user.refreshToken)
  request.logout(() => response.redirect('/'))
})
app.listen(port, '127.0.0.1')
