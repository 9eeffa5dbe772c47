// Refreshes and revokes tokens, for apps of libraries that do not. Environment variables: ISSUER, CLIENT_ID.

const { ISSUER: issuer, CLIENT_ID: clientId } = process.env

// Returns the new refresh token.
export async function refresh(token) {
  const response = await post('/auth/token', { grant_type: 'refresh_token', refresh_token: token })
  const { refresh_token: refreshToken } = await response.json()
  return refreshToken
}

export async function revoke(token) {
  await post('/auth/revoke', { token })
}

async function post(path, parameters) {
  const body = new URLSearchParams({ client_id: clientId, client_secret: 'unused', ...parameters })
  const response = await fetch(issuer + path, { method: 'POST', body })
  if (!response.ok) throw new Error(await response.text())
  return response
}
