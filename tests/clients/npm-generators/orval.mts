// Writes several items at once and regenerates a key with a client that orval generates from the OpenAPI document, for
// axios. Argument: the URL of the service. Prints a JSON object with the results.

import { AxiosError } from 'axios'
import type { AxiosRequestConfig, AxiosResponse } from 'axios'

import * as api from './client.js'

declare const process: { argv: string[] }

const password = 'correct horse battery'

const anonymous = credential()
const olga = await signUp('olga')
const ann = await signUp('ann')

const team = await api.createTeam({ name: 'Acme', slug: 'acme' }, olga.options)
const project = await api.createProject({ name: 'Rocket', team_id: team.data.data.id }, olga.options)
const id = project.data.data.id

const created = await api.createKey(id, { label: 'Server', roles: 'admin' }, olga.options)
const key = created.data.key
const server = credential(key.value)

const fields = { title: { type: 'string', required: true }, done: { type: 'boolean' } }
await api.publishSchema(id, { schema: { tables: { notes: { fields } } } }, undefined, olga.options)
await api.connectUser(id, { token: ann.token }, server)
const users = await api.listUsers(id, undefined, server)
const user = users.data.data[0]
if (!user) throw new Error('The project has no users.')
const userId = user.id

await batch([
  { op: 'put', id: 'first', value: { title: 'Buy milk' }, if_none_match: '*' },
  { op: 'put', id: 'second', value: { title: 'Buy bread' } },
])
const all = await batch([
  { op: 'put', id: 'third', value: { title: 'Buy eggs' } },
  { op: 'patch', id: 'first', value: { done: true } },
  { op: 'delete', id: 'second' },
])
const conflict = await errorOf(
  batch([
    { op: 'patch', id: 'third', value: { done: true } },
    { op: 'put', id: 'first', value: { title: 'Buy tea' }, if_none_match: '*' },
  ]),
)

const second = (await api.regenerateKey(id, key.id, {}, olga.options)).data.key
const third = (await api.regenerateKey(id, key.id, { grace_seconds: 600 }, olga.options)).data.key

const results = {
  batch: all.data.data.map((item) => [item['id'], item['title'], item['done']]),
  conflict: [conflict.error, conflict.index],
  ids: [second.id === key.id, third.id === key.id],
  first: (await errorOf(api.getProject(id, credential(key.value)))).error,
  second: (await api.getProject(id, credential(second.value))).data.data.name,
  third: (await api.getProject(id, credential(third.value))).data.data.name,
}
console.log(JSON.stringify(results))

function credential(token?: string): AxiosRequestConfig {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
  return { baseURL: process.argv[2] ?? '', headers }
}

async function signUp(username: string) {
  const email = `${username}@example.com`
  await api.signUp({ email, password, username, name: username }, anonymous)
  const session = await api.logIn({ username, password }, anonymous)
  const token = session.data.access_token
  return { token, options: credential(token) }
}

function batch(operations: api.ItemOperation[]) {
  return api.batchItems(id, userId, 'notes', { operations }, server)
}

// The body of the response to a request that fails.
async function errorOf(request: Promise<AxiosResponse<unknown>>): Promise<api.ErrorBody> {
  try {
    const { status } = await request
    throw new Error(`The request succeeded: ${status}`)
  } catch (error) {
    if (error instanceof AxiosError && error.response) return error.response.data
    throw error
  }
}
