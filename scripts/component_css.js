/*
 * `npm run component-css`: writes packages/atrium/assets/admin/components.css, the part of Basecoat that the
 * admin site needs, and form_components.css, what of it only pages with forms need. Basecoat's single components are written for Tailwind's compiler, and as a whole it
 * would take a third of what a page may weigh.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import postcss from 'postcss'
import { root } from './runtime.js'

const ASSETS = join(root, 'packages/atrium/assets/admin')
export const COMPONENT_CSS = join(ASSETS, 'components.css')
export const FORM_COMPONENT_CSS = join(ASSETS, 'form_components.css')

/** Components of the site's templates, which those of the application may use, too */
const COMPONENTS = [
  ...['btn', 'card', 'input', 'kbd', 'label', 'select', 'sr-only'],
  ...['table', 'table-container', 'textarea'],
]

/** Parts of these components, and components without a class, that the site does not have */
const UNUSED = new RegExp(
  [
    String.raw`\[data-(?:popover|tooltip|icon|slot|disabled|state)|^:host$|::-ms-`,
    String.raw`(?<!:not\()\[role=(?:switch|option|listbox|menu|checkbox|radiogroup)|type=range`,
    String.raw`\.select:not\(select\)|\.table (?:tfoot|caption)|\.card>img|\.card\[data-size`,
    String.raw`\[data-size=(?:default|xs|lg|icon-sm|icon-lg)\]|\.btn\[data-variant=(?:primary|link)\]`,
  ].join('|')
)

/** Elements and parts of components that only forms have */
const OF_FORMS =
  /\.textarea|\.(input|select|btn)[^,]*(type=radio|file-selector-button|aria-invalid)|^(textarea|::(-webkit-datetime|-webkit-date-and|-webkit-calendar|file-selector)|:where\(select)/

const HEADER = `/*!
 * The part of Basecoat that the admin site uses, written by \`npm run component-css\`.
 * Copyright (c) 2025 Ronan Berder, MIT License
 */
`

/**
 * @returns the rules for elements, and for the components above, without what only forms need
 */
export function componentCss() {
  return written((selector) => !OF_FORMS.test(selector))
}

/**
 * @returns the rules for components that only forms need
 */
export function formComponentCss() {
  return written((selector) => OF_FORMS.test(selector), ['base', 'components'])
}

/** @param layers  layers of the library to keep; default: all, and what is in none */
function written(isWanted, layers) {
  const css = cut()
  if (layers) keepLayers(css, layers)
  css.walkRules((rule) => {
    if (isOfKeyframes(rule)) return
    const wanted = rule.selectors.filter(isWanted)
    if (wanted.length === 0) rule.remove()
    else if (wanted.length < rule.selectors.length) rule.selectors = wanted
  })
  removeEmpty(css)
  return `${HEADER}${css}\n`
}

function keepLayers(css, layers) {
  for (const node of [...css.nodes]) {
    if (node.name !== 'layer' || !layers.includes(node.params)) node.remove()
  }
}

const isOfKeyframes = ({ parent }) => parent.type === 'atrule' && parent.name.endsWith('keyframes')

function cut() {
  const library = dirname(createRequire(import.meta.url).resolve('basecoat-css/package.json'))
  const css = postcss.parse(readFileSync(join(library, 'dist/basecoat.cdn.min.css'), 'utf8'))
  css.walkRules((rule) => {
    if (isOfKeyframes(rule)) return
    const wanted = rule.selectors.map(wantedPart).filter((selector) => selector !== null)
    if (wanted.length === 0) rule.remove()
    else if (wanted.join() !== rule.selectors.join()) rule.selectors = wanted
  })
  removeEmpty(css)
  removeUnusedProperties(css)
  return css
}

/** Custom properties that are not read by the remaining rules or the site's own stylesheets */
function removeUnusedProperties(css) {
  const own = readdirSync(ASSETS).filter((name) => /(?<!components)\.css$/.test(name))
  const others = own.map((name) => readFileSync(join(ASSETS, name), 'utf8')).join('\n')
  for (let isLess = true; isLess;) {
    isLess = false
    const read = new Set(
      [...`${css}\n${others}`.matchAll(/var\((--[\w-]+)/g)].map(([, name]) => name)
    )
    css.walkDecls(/^--/, (declaration) => {
      if (read.has(declaration.prop)) return
      declaration.remove()
      isLess = true
    })
    css.walkAtRules('property', (rule) => {
      if (!read.has(rule.params)) rule.remove()
    })
  }
  css.walkRules((rule) => {
    if (rule.nodes.length === 0) rule.remove()
  })
  removeEmpty(css)
}

/**
 * The selector without the alternatives in `:is()` and its like that are for other components.
 *
 * @returns null if nothing of it is for ours
 */
function wantedPart(selector) {
  if (UNUSED.test(selector)) return null
  let rest = selector
  let kept = ''
  for (let found; (found = ALTERNATIVES.exec(rest));) {
    const start = found.index + found[0].length
    const end = closingOf(rest, start)
    const inside = rest.slice(start, end)
    const parts = postcss.list.comma(inside).map(wantedPart)
    const left = parts.filter((part) => part !== null)
    /* The exceptions of a selector stay as they are. */
    if (left.length === 0 && found[1] !== 'not') return null
    if (!isOurs(rest.slice(0, found.index))) return null
    kept += rest.slice(0, start) + (found[1] === 'not' ? inside : left.join(',')) + ')'
    rest = rest.slice(end + 1)
  }
  return isOurs(rest) ? kept + rest : null
}

const ALTERNATIVES = /:(is|where|has|not)\(/

function closingOf(text, start) {
  let depth = 1
  for (let at = start; at < text.length; at++) {
    if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  throw new Error(`No closing bracket in ${text}`)
}

function isOurs(selector) {
  const classes = [...selector.matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name)
  return classes.every((name) => name === 'dark' || COMPONENTS.includes(name))
}

/** Also what is empty once its last rule is gone. */
function removeEmpty(css) {
  const empty = []
  css.walkAtRules((rule) => {
    if (rule.nodes?.length === 0) empty.push(rule)
  })
  for (const rule of empty) rule.remove()
  if (empty.length > 0) removeEmpty(css)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(COMPONENT_CSS, componentCss())
  writeFileSync(FORM_COMPONENT_CSS, formComponentCss())
}
