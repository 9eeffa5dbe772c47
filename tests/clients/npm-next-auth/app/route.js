export const GET = () => new Response('Home')
