// An app in the browser that signs users in with keycloak-js. Environment variables: ISSUER, CLIENT_ID, PORT.

import express from 'express'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env

const settings = { oidcProvider: issuer, clientId }
// Only Keycloak has the frame that shows whether the user is still signed in.
const options = { checkLoginIframe: false }

const page = `<!doctype html>
<h1>Loading</h1>
<button onclick="keycloak.login()">Log in</button>
<button onclick="keycloak.logout()">Log out</button>
<script type="module">
  import Keycloak from '/library/keycloak.js'
  window.keycloak = new Keycloak(${JSON.stringify(settings)})
  const isSignedIn = await keycloak.init(${JSON.stringify(options)})
  document.querySelector('h1').textContent = isSignedIn ? 'User ' + keycloak.subject : 'Nobody'
</script>`

const app = express()
app.use('/library', express.static('node_modules/keycloak-js/lib'))
app.get('/', (_, response) => response.send(page))
app.listen(port, '127.0.0.1')
