import { createRequire } from 'node:module'
import type { MarkdownIt } from 'markdown-it'
import type sanitizeHtml from 'sanitize-html'
import type { HttpContext } from '@adonisjs/core/http'
import { escaped } from '../../../text/plain_text.js'
import { sentTexts } from '../../../http/form_texts.js'
import { textCell, type ShownCell } from '../../../list/cell.js'
import { FormWidget, type Preview } from './form_widget.js'

/* Maximum numbers of characters to render on pages and in lists, as longer texts would block all other requests */
const LONGEST = 100_000
const LONGEST_IN_LISTS = 2000

const TAGS =
  'p br hr h2 h3 h4 h5 h6 strong b em i s del sub sup code pre blockquote ul ol li table thead tbody tr th td a'

const load = createRequire(import.meta.url)

let renderer: { markdown: MarkdownIt; sanitize: typeof sanitizeHtml } | undefined

/**
 * Loads the libraries when the first text is rendered, as few sites use Markdown and loading them takes longer than
 * loading all other widgets.
 */
function tools() {
  return (renderer ??= {
    markdown: load('markdown-it')({ html: true }),
    sanitize: load('sanitize-html') as typeof sanitizeHtml,
  })
}

/** Options of the sanitizer. Images are converted to links, so that other sites can't track who reads the text. */
const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: TAGS.split(' '),
  allowedAttributes: {
    a: ['href', 'rel', 'target'],
    pre: ['tabindex'],
    th: ['align'],
    td: ['align'],
    ol: ['start'],
  },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesAppliedToAttributes: ['href'],
  allowProtocolRelative: false,
  nestingLimit: 50,
  transformTags: {
    th: aligned,
    td: aligned,
    a: (_, { href }) => ({ tagName: 'a', attribs: linkTo(href) }),
    img: (_, { src, alt }) => ({ tagName: 'a', attribs: linkTo(src), text: alt || src || '' }),
    /* Focusable, so that it can be scrolled with the keyboard. */
    pre: () => ({ tagName: 'pre', attribs: { tabindex: '0' } }),
  },
}

function linkTo(href: string | undefined): Record<string, string> {
  if (href === undefined) return {}
  return { href, rel: 'noopener noreferrer nofollow', target: '_blank' }
}

/**
 * Returns the tag with the attribute `align` instead of the style attribute with which Markdown aligns columns, as the
 * content security policy blocks style attributes.
 */
function aligned(tagName: string, { style }: Record<string, string | undefined>) {
  const [, align] = /^text-align:(left|center|right)$/.exec(style ?? '') ?? []
  return { tagName, attribs: align ? { align } : ({} as Record<string, string>) }
}

/**
 * Renders Markdown as markup that is safe in pages of the site: without scripts, styles and external resources. HTML
 * is preserved as far as Markdown has an equivalent.
 */
export function renderMarkdown(text: string): string {
  if (text.length > LONGEST) return `<pre tabindex="0">${escaped(text)}</pre>`
  const { markdown, sanitize } = tools()
  const html = markdown.render(text)
  const transformTags = { ...OPTIONS.transformTags, ...headingsOf(html) }
  return sanitize(html, { ...OPTIONS, transformTags })
}

/** Returns new levels for the headings: they start one level below the page's heading and have no gaps. */
function headingsOf(html: string): Record<string, string> {
  const used = new Set([...html.matchAll(/<(h[1-6])\b/gi)].map(([, tag]) => tag.toLowerCase()))
  return Object.fromEntries(
    [...used].toSorted().map((tag, index) => [tag, `h${Math.min(6, index + 2)}`])
  )
}

/** Returns the beginning of a Markdown text without markup, on one line. */
export function plainMarkdown(text: string): string {
  const { markdown, sanitize } = tools()
  const html = markdown.render(text.slice(0, LONGEST_IN_LISTS))
  return sanitize(html, { allowedTags: [], allowedAttributes: {} })
    .replace(/&(amp|lt|gt|quot);/g, (_: string, name: keyof typeof CHARACTERS) => CHARACTERS[name])
    .replace(/\s+/g, ' ')
    .trim()
}

const CHARACTERS = { amp: '&', lt: '<', gt: '>', quot: '"' }

/** Suffix of the name of the button that shows a preview */
const PREVIEW = '__preview'

/** A Markdown text with a preview. */
export class MarkdownWidget extends FormWidget {
  readonly template = 'admin/partials/fields/markdown'
  readonly sheet = 'markdown_field.css'
  readonly cellControl = 'textarea'
  readonly hasBox = true
  readonly isWide = true

  rerenders(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean {
    return sent.has(name + PREVIEW)
  }

  async data(ctx: HttpContext, name: string, values: string[]) {
    const isRequested = this.rerenders(name, sentTexts(ctx))
    const text = values.join('\n')
    return {
      button: name + PREVIEW,
      preview: isRequested ? renderMarkdown(text) : undefined,
      rows: Math.min(20, Math.max(6, text.split('\n').length + 1)),
    }
  }

  preview(text: string): Preview {
    return { type: 'html', content: renderMarkdown(text) }
  }

  cell(value: unknown): ShownCell | null {
    return typeof value === 'string' ? textCell(plainMarkdown(value)) : null
  }

  whole(value: unknown): ShownCell | null {
    if (typeof value !== 'string') return null
    return {
      kind: 'markdown',
      text: value,
      markup: `<div class="markdown" dir="auto">${renderMarkdown(value)}</div>`,
    }
  }
}
