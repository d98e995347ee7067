/*
 * `npm run component-css`: writes resources/assets/admin/components.css, the part of Basecoat that the
 * admin site needs. Basecoat's single components are written for Tailwind's compiler, and as a whole it
 * would take a third of what a page may weigh.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postcss from 'postcss'
import { root } from './runtime.js'

export const COMPONENT_CSS = join(root, 'resources/assets/admin/components.css')

/** Components for the templates of the site and of the application */
const COMPONENTS = [
  ...['alert', 'badge', 'btn', 'button-group', 'card', 'combobox', 'dialog', 'field', 'fieldset'],
  ...['input', 'kbd', 'label', 'select', 'sr-only', 'table', 'table-container', 'textarea'],
]

const HEADER = `/*!
 * The part of Basecoat that the admin site uses, written by \`npm run component-css\`.
 * Copyright (c) 2025 Ronan Berder, MIT License
 */
`

/**
 * @returns the rules for elements, and for the components above
 */
export function componentCss() {
  const library = dirname(createRequire(import.meta.url).resolve('basecoat-css/package.json'))
  const css = postcss.parse(readFileSync(join(library, 'dist/basecoat.cdn.min.css'), 'utf8'))
  css.walkRules((rule) => {
    const classes = [...rule.selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)
    const isWanted = classes.length === 0 || classes.some((name) => COMPONENTS.includes(name))
    if (!isWanted) rule.remove()
  })
  css.walkAtRules((rule) => {
    if (rule.nodes?.length === 0) rule.remove()
  })
  return `${HEADER}${css}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(COMPONENT_CSS, componentCss())
}
