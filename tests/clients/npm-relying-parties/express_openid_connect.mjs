// An app that signs users in with express-openid-connect. Environment variables: ISSUER, CLIENT_ID, PORT.

import express from 'express'
import openid from 'express-openid-connect'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`

const app = express()
// The library defines the routes /login, /callback and /logout.
app.use(
  openid.auth({
    issuerBaseURL: issuer,
    baseURL: origin,
    clientID: clientId,
    clientSecret: 'unused',
    secret: 'a secret for tests, and for tests only',
    authRequired: false,
    authorizationParams: { response_type: 'code' },
    idpLogout: true,
  }),
)
app.get('/', (_, response) => response.send('Home'))
app.get('/user', ({ oidc: { user } }, response) => {
  response.json(user ? { name: user.name, email: user.email } : null)
})
app.get('/refresh', openid.requiresAuth(), async ({ oidc }, response) => {
  await oidc.accessToken.refresh()
  response.json({ refresh_token: oidc.refreshToken })
})
app.listen(port, '127.0.0.1')
