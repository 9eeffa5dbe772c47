// An app in the browser that signs users in with oidc-client-ts. Environment variables: ISSUER, CLIENT_ID, PORT.

import express from 'express'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env
const origin = `http://127.0.0.1:${port}`

const settings = {
  authority: issuer,
  client_id: clientId,
  redirect_uri: `${origin}/callback`,
  post_logout_redirect_uri: origin,
  scope: 'openid profile email',
}

const page = `<!doctype html>
<h1>Loading</h1>
<button onclick="manager.signinRedirect()">Log in</button>
<button onclick="manager.signoutRedirect()">Log out</button>
<script src="/library/oidc-client-ts.js"></script>
<script type="module">
  window.manager = new oidc.UserManager(${JSON.stringify(settings)})
  if (location.pathname === '/callback') await manager.signinCallback()
  const user = await manager.getUser()
  document.querySelector('h1').textContent = user ? user.profile.name + ', ' + user.profile.email : 'Nobody'
</script>`

const app = express()
app.use('/library', express.static('node_modules/oidc-client-ts/dist/browser'))
app.get(['/', '/callback'], (_, response) => response.send(page))
app.listen(port, '127.0.0.1')
