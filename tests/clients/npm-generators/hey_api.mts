// Writes several items at once and regenerates a key with a client that @hey-api/openapi-ts generates from the OpenAPI
// document. Argument: the URL of the service. Prints a JSON object with the results.

import { createClient } from './client/client/index.js'
import * as api from './client/index.js'

declare const process: { argv: string[] }

const password = 'correct horse battery'

const anonymous = clientWith()
const olga = await signUp('olga')
const ann = await signUp('ann')

const newTeam = { name: 'Acme', slug: 'acme' }
const team = required(await api.createTeam({ client: olga.client, body: newTeam })).data
const newProject = { name: 'Rocket', team_id: team.id }
const project = required(await api.createProject({ client: olga.client, body: newProject })).data
const path = { id: project.id }

const newKey = { label: 'Server', roles: 'admin' }
const key = required(await api.createKey({ client: olga.client, path, body: newKey })).key
const server = clientWith(key.value)

const fields = { title: { type: 'string', required: true }, done: { type: 'boolean' } }
const schema = { tables: { notes: { fields } } }
required(await api.publishSchema({ client: olga.client, path, body: { schema } }))
required(await api.connectUser({ client: server, path, body: { token: ann.token } }))
const users = required(await api.listUsers({ client: server, path })).data
const user = users[0]
if (!user) throw new Error('The project has no users.')

const table = { ...path, user_id: user.id, table_id: 'notes' }
const put = await batch([
  { op: 'put', id: 'first', value: { title: 'Buy milk' }, if_none_match: '*' },
  { op: 'put', id: 'second', value: { title: 'Buy bread' } },
])
required(put)
const all = await batch([
  { op: 'put', id: 'third', value: { title: 'Buy eggs' } },
  { op: 'patch', id: 'first', value: { done: true } },
  { op: 'delete', id: 'second' },
])
const items = required(all).data
const conflict = await batch([
  { op: 'patch', id: 'third', value: { done: true } },
  { op: 'put', id: 'first', value: { title: 'Buy tea' }, if_none_match: '*' },
])

const keyPath = { ...path, key_id: key.id }
const second = required(await api.regenerateKey({ client: olga.client, path: keyPath })).key
const body = { grace_seconds: 600 }
const third = required(await api.regenerateKey({ client: olga.client, path: keyPath, body })).key

const results = {
  batch: items.map((item) => [item['id'], item['title'], item['done']]),
  conflict: [conflict.error?.error, conflict.error?.index],
  ids: [second.id === key.id, third.id === key.id],
  first: await credentialOf(key.value),
  second: await credentialOf(second.value),
  third: await credentialOf(third.value),
}
console.log(JSON.stringify(results))

function clientWith(token?: string) {
  return createClient({ baseUrl: process.argv[2] ?? '', auth: token })
}

async function signUp(username: string) {
  const email = `${username}@example.com`
  required(await api.signUp({ client: anonymous, body: { email, password, username, name: username } }))
  const session = required(await api.logIn({ client: anonymous, body: { username, password } }))
  return { token: session.access_token, client: clientWith(session.access_token) }
}

function batch(operations: api.ItemOperation[]) {
  return api.batchItems({ client: server, path: table, body: { operations } })
}

// The project that a key belongs to, or the code of the error.
async function credentialOf(value: string) {
  const { data, error } = await api.getProject({ client: clientWith(value), path })
  return data?.data.name ?? error?.error
}

// The body of a successful response.
function required<T>(response: { data?: T; error?: unknown }): T {
  if (response.data === undefined) throw new Error(JSON.stringify(response.error))
  return response.data
}
