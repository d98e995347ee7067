import { escaped } from '../text/markup.js'
import type { ShownCell } from './cell.js'

/**
 * Content of a cell as markup, wherever a value is shown: in lists, and in forms next to what can be changed.
 */
export function cellMarkup({ kind, text, href, whole, markup }: ShownCell): string {
  const shown = markup ?? escaped(text)
  if (kind === 'null')
    return `<span aria-hidden="true">–</span><span class="sr-only">${shown}</span>`
  const content = kind === 'choice' ? `<span class="value-badge">${shown}</span>` : shown
  if (href) return `<a href="${escaped(href)}"${relationOf(href)}>${content}</a>`
  if (whole === undefined) return content
  return `<details class="folded"><summary>${content}</summary><pre tabindex="0">${escaped(whole)}</pre></details>`
}

/** Other sites open next to this one, and neither learn nor reach the page that they were opened from. */
function relationOf(href: string): string {
  return href.startsWith('http') ? ' target="_blank" rel="noopener noreferrer"' : ''
}
