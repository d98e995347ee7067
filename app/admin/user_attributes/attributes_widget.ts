import type { HttpContext } from '@adonisjs/core/http'
import { isObject } from '#crud/internals'
import { Widget } from '../forms/fields/widget.js'
import { wordsOf } from '../model_view.js'
import type { UserAttributes } from './user_attributes.js'

interface Parts {
  /** Texts of the declared attributes */
  texts: Record<string, string>
  /** Values of the others, which the form keeps */
  others: Record<string, unknown>
}

/**
 * The attributes of a user, each declared one in a field of its type; others are kept.
 */
export function attributesWidget(declared: UserAttributes) {
  const names = Object.keys(declared)

  return class AttributesWidget extends Widget {
    readonly template = 'admin/partials/fields/attributes'
    readonly isGroup = true

    collect(name: string, sent: ReadonlyMap<string, readonly string[]>): string[] | undefined {
      if (!names.some((one) => sent.has(`${name}.${one}`))) return undefined
      const texts = names.map((one) => [one, sent.get(`${name}.${one}`)?.at(-1)?.trim() ?? ''])
      const others = partsOf(sent.get(`${name}.__others`)?.at(-1)).others
      return [JSON.stringify({ texts: Object.fromEntries(texts), others })]
    }

    read([text]: string[]): unknown {
      const { others, texts } = partsOf(text)
      const filled = Object.entries(texts).filter(([, value]) => value !== '')
      return { ...others, ...Object.fromEntries(filled) }
    }

    show(value: unknown): string[] {
      const stored = isObject(value) ? (value as Record<string, unknown>) : {}
      const texts = names.map((one) => [one, stored[one] === undefined ? '' : textOf(stored[one])])
      const others = Object.entries(stored).filter(([one]) => !names.includes(one))
      return [
        JSON.stringify({ texts: Object.fromEntries(texts), others: Object.fromEntries(others) }),
      ]
    }

    async data(_ctx: HttpContext, name: string, values: string[]): Promise<unknown> {
      const { others, texts } = partsOf(values[0])
      return {
        others: { name: `${name}.__others`, value: JSON.stringify({ texts: {}, others }) },
        inputs: Object.entries(declared).map(([one, { choices, help, label, type }]) => ({
          name: `${name}.${one}`,
          label: label ?? wordsOf(one),
          help,
          type,
          value: texts[one] ?? '',
          choices: type === 'boolean' ? ['true', 'false'] : choices?.map(String),
        })),
      }
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function partsOf(text: string | undefined): Parts {
  try {
    const parts = JSON.parse(text ?? '{}') as Partial<Parts>
    return { texts: parts.texts ?? {}, others: parts.others ?? {} }
  } catch {
    return { texts: {}, others: {} }
  }
}
