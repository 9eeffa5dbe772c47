import { auth, signIn, signOut, update } from '../../auth.js'

const routes = {
  login: () => signIn('steward', { redirectTo: '/' }),
  logout: () => signOut({ redirectTo: '/' }),
  async user() {
    const session = await auth()
    return Response.json(session && { name: session.user.name, email: session.user.email })
  },
  async refresh() {
    const { refreshToken } = await update({})
    return Response.json({ refresh_token: refreshToken })
  },
}

export async function GET(_, { params }) {
  const { route } = await params
  return routes[route]?.() ?? new Response(null, { status: 404 })
}
