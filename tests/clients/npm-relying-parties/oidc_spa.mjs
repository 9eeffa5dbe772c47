// An app in the browser that signs users in with oidc-spa. Environment variables: ISSUER, CLIENT_ID, PORT.

import { build } from 'esbuild'
import express from 'express'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env

// As in the library's guide: a module that starts it before all others.
const entry = `
import { oidcEarlyInit } from 'oidc-spa/entrypoint'
const { shouldLoadApp } = oidcEarlyInit({ BASE_URL: '/' })
if (shouldLoadApp) import('app')
`
const app = `
import { createOidc } from 'oidc-spa/core'
const oidc = await createOidc(${JSON.stringify({ issuerUri: issuer, clientId, scopes: ['profile', 'email'] })})
window.oidc = oidc
// What the service says about the person, and whether it is the one of the ID token.
window.userInfo = async () => {
  const { accessToken, decodedIdToken } = await oidc.getTokens()
  const headers = { authorization: 'Bearer ' + accessToken }
  const { email, sub } = await (await fetch(${JSON.stringify(`${issuer}/auth/userinfo`)}, { headers })).json()
  return [email, sub === decodedIdToken.sub]
}
const heading = document.querySelector('h1')
if (oidc.isUserLoggedIn) {
  const { name, email } = oidc.getDecodedIdToken()
  heading.textContent = name + ', ' + email
} else heading.textContent = 'Nobody'
`
const modules = { entry, app }
const { outputFiles } = await build({
  entryPoints: ['entry'],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  outdir: '/scripts',
  write: false,
  plugins: [
    {
      name: 'modules',
      setup(build) {
        build.onResolve({ filter: /^(entry|app)$/ }, ({ path }) => ({ path, namespace: 'modules' }))
        build.onLoad({ filter: /.*/, namespace: 'modules' }, ({ path }) => ({
          contents: modules[path],
          resolveDir: process.cwd(),
        }))
      },
    },
  ],
})

const page = `<!doctype html>
<h1>Loading</h1>
<button onclick="oidc.login({ doesCurrentHrefRequiresAuth: false })">Log in</button>
<button onclick="oidc.logout({ redirectTo: 'home' })">Log out</button>
<script type="module" src="/scripts/entry.js"></script>`

const server = express()
for (const { path, text } of outputFiles) server.get(path, (_, response) => response.type('js').send(text))
server.get('/', (_, response) => response.send(page))
server.listen(port, '127.0.0.1')
