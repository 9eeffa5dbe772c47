// An app in the browser that keeps notes with one of the SDKs. Its only argument is the module of the app. Environment
// variables: ISSUER, CLIENT_ID, PORT. The SDKs have a fixed base address, so the bundle gets that of the service.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const { ISSUER: issuer, CLIENT_ID: clientId, PORT: port } = process.env

const schemas = await fetch(`${issuer}/project/${clientId}/schema`).then(response => response.json())

const baseAddress = {
  name: 'base-address',
  setup(bundle) {
    bundle.onLoad({ filter: /@basictech\/(react|expo)\/dist\/.*js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { contents: source.replaceAll('https://api.basic.tech', issuer) }
    })
  },
}

// The modules of React Native that the Expo SDK imports, reduced to what it uses in a browser.
const alias = Object.fromEntries(
  ['expo-auth-session', 'expo-secure-store', 'react-native'].map(name => [
    name,
    fileURLToPath(new URL('native.mjs', import.meta.url)),
  ]),
)

const bundle = await build({
  entryPoints: [process.argv[2]],
  alias,
  bundle: true,
  define: {
    'process.env.NODE_ENV': '"production"',
    PROJECT_ID: JSON.stringify(clientId),
    SCHEMA: JSON.stringify(schemas.data[0].schema),
  },
  plugins: [baseAddress],
  write: false,
})
const script = bundle.outputFiles[0].text

const page = '<!doctype html><meta charset="utf-8"><div id="app"></div><script src="/bundle.js"></script>'
// The SDKs look for newer versions of themselves in the registry, which the tests do not need.
const policy = `connect-src ${issuer} ${issuer.replace('http', 'ws')}`

createServer((request, response) => {
  if (request.url === '/bundle.js') {
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script)
  } else {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy }).end(page)
  }
}).listen(port, '127.0.0.1')
