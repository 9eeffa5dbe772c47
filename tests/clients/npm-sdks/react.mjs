// Notes with @basictech/react: they are stored in the browser and synchronized.

import { BasicProvider, useBasic, useQuery } from '@basictech/react'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'

function Notes() {
  const basic = useBasic()
  const notes = useQuery(() => basic.db.collection('notes').getAll(), [basic.db])
  // For the scripts of the test.
  Object.assign(window, { basic, notes })

  // A page that is left before its database is open delays the next one.
  const isLoading = !basic.isAuthReady || !notes
  const state = basic.isSignedIn ? `Notes of ${basic.user.id}` : 'Nobody'
  return [
    createElement('h1', { key: 'state' }, isLoading ? 'Loading' : state),
    createElement('button', { key: 'sign in', onClick: basic.signin }, 'Log in'),
    createElement('ul', { key: 'notes' }, notes?.map(note => createElement('li', { key: note.id }, note.title))),
  ]
}

const provider = { project_id: PROJECT_ID, schema: SCHEMA, debug: true }
createRoot(document.querySelector('#app')).render(createElement(BasicProvider, provider, createElement(Notes)))
