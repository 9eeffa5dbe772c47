// Uses the API with a client that openapi-typescript generates from the OpenAPI document. Argument: the URL of the
// service. Prints a JSON object with the results.

import createClient from 'openapi-fetch'

import type { components, paths } from './openapi.js'

declare const process: { argv: string[] }

const baseUrl = process.argv[2] ?? ''
const password = 'correct horse battery'

const anonymous = createClient<paths>({ baseUrl })
const olga = await signUp('olga')
const ann = await signUp('ann')

const team = await olga.client.POST('/team', { body: { name: 'Acme', slug: 'acme' } })
const teamId = required(team).data.id
const project = await olga.client.POST('/project', { body: { name: 'Rocket', team_id: teamId } })
const id = required(project).data.id
const path = { id }

const created = await olga.client.POST('/project/{id}/key', {
  params: { path },
  body: { label: 'Server', roles: 'admin' },
})
const key = required(created).key
const server = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key.value}` } })

const fields = { title: { type: 'string', required: true } }
const published = await olga.client.POST('/project/{id}/schema', {
  params: { path },
  body: { schema: { tables: { notes: { fields } } } },
})
required(published)

const connected = await server.POST('/project/{id}/user/connect', { params: { path }, body: { token: ann.token } })
required(connected)
const users = required(await server.GET('/project/{id}/user', { params: { path } })).data
const user = users[0]
if (!user) throw new Error('The project has no users.')

const item = { ...path, user_id: user.id, table_id: 'notes', item_id: 'first' }
const put = await server.PUT('/project/{id}/user/{user_id}/db/{table_id}/{item_id}', {
  params: { path: item },
  body: { value: { title: 'Buy milk' } },
})
required(put)
const read = await server.GET('/project/{id}/user/{user_id}/db/{table_id}/{item_id}', { params: { path: item } })
const missing = await server.GET('/project/{id}/user/{user_id}/db/{table_id}/{item_id}', {
  params: { path: { ...item, item_id: 'second' } },
})
const taken = await olga.client.POST('/team', { body: { name: 'Acme', slug: 'acme' } })

const results = {
  users: users.map((user) => user.status),
  item: required(read).data['title'],
  missing: codeOf(missing.error),
  taken: codeOf(taken.error),
}
console.log(JSON.stringify(results))

async function signUp(username: string) {
  const email = `${username}@example.com`
  const account = await anonymous.POST('/auth/signup', { body: { email, password, username, name: username } })
  required(account)
  const session = await anonymous.POST('/auth/login', { body: { username, password } })
  const token = required(session).access_token
  return { token, client: createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } }) }
}

// The body of a successful response.
function required<T>(response: { data?: T; error?: unknown }): T {
  if (response.data === undefined) throw new Error(JSON.stringify(response.error))
  return response.data
}

function codeOf(error: components['schemas']['ErrorBody'] | undefined) {
  return error?.error
}
