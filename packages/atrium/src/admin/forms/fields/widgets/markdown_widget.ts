import type { HttpContext } from '@adonisjs/core/http'
import { sentTexts } from '../../../http/form_texts.js'
import { textCell, type ShownCell } from '../../../list/cell.js'
import { FormWidget, type Preview } from './form_widget.js'
import { plainMarkdown, renderMarkdown } from './markdown.js'

/** Suffix in the name of the button that shows a preview */
export const PREVIEW = '__preview'

/**
 * A long text with a preview of what it is shown as. [R13]
 */
export class MarkdownWidget extends FormWidget {
  readonly template = 'admin/partials/fields/markdown'
  readonly sheet = 'markdown_field.css'
  readonly cellControl = 'textarea'
  readonly hasBox = true
  readonly isWide = true

  asksAgain(name: string, sent: ReadonlyMap<string, readonly string[]>): boolean {
    return sent.has(name + PREVIEW)
  }

  async data(ctx: HttpContext, name: string, values: string[]) {
    const isAsked = this.asksAgain(name, sentTexts(ctx))
    const text = values.join('\n')
    return {
      button: name + PREVIEW,
      preview: isAsked ? renderMarkdown(text) : undefined,
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
