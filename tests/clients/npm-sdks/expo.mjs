// Notes with @basictech/expo: each operation is a request.

import { BasicProvider, useBasic } from '@basictech/expo'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

function Notes() {
  const basic = useBasic()
  // For the scripts of the test.
  window.basic = basic

  const state = basic.isSignedIn ? `${basic.user.name}, ${basic.user.email}` : 'Nobody'
  return [
    createElement('h1', { key: 'state' }, basic.isLoading ? 'Loading' : state),
    createElement('button', { key: 'sign in', onClick: basic.login }, 'Log in'),
    createElement('button', { key: 'sign out', onClick: basic.signout }, 'Log out'),
  ]
}

const provider = { project_id: PROJECT_ID, schema: SCHEMA }
createRoot(document.querySelector('#app')).render(createElement(BasicProvider, provider, createElement(Notes)))
