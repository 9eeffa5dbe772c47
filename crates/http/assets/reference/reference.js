// Adds what RapiDoc lacks: accessible names of the fields of its forms and of its buttons with only an icon, and the
// operations on a narrow screen.

const observed = new WeakSet()

function observe(root) {
  if (observed.has(root)) return
  observed.add(root)
  new MutationObserver(() => complete(root)).observe(root, { childList: true, subtree: true })
  complete(root)
}

function complete(root) {
  for (const field of root.querySelectorAll('input, select, textarea')) {
    if (!field.labels?.length && !field.ariaLabel && !field.ariaLabelledby) field.ariaLabel = nameOf(field)
  }
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) observe(element.shadowRoot)
  }
}

// The name of the parameter that a field is for, or what the field is.
function nameOf(field) {
  if (field.dataset.pname) return field.dataset.pname
  if (field.placeholder) return field.placeholder
  if (field.tagName === 'SELECT') return 'Media type'
  return field.tagName === 'TEXTAREA' ? 'Request body' : 'Value'
}

observe(document)

// Below this width, RapiDoc shows no list of operations to choose one from, so it shows all of them.
if (matchMedia('(max-width: 767px)').matches) {
  document.querySelector('rapi-doc')?.setAttribute('render-style', 'read')
}
