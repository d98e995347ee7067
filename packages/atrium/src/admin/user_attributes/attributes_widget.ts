import type { HttpContext } from '@adonisjs/core/http'
import { isObject } from '#base/checks'
import type { Site } from '../views/site.js'
import { fieldViews } from '../forms/fields/field_view.js'
import type { FieldView } from '../forms/fields/shown_field.js'
import { referenceField } from '../forms/fields/form_fields.js'
import { Widget } from '../views/widget.js'
import { wordsOf } from '../text/plain_text.js'
import AdminUser from '../models/admin_user.js'
import { attributeReferences } from './attribute_references.js'
import type { UserAttribute, WithUserAttributes } from '../config/user_attributes.js'

interface Parts {
  /** Form values of the declared attributes */
  texts: Record<string, string>
  /** Values of other attributes, which the form keeps unchanged */
  others: Record<string, unknown>
}

/**
 * Widget for the attributes of a user, with a field of the matching type for each declared attribute; others stay
 * unchanged.
 */
export function attributesWidget(site: Site & WithUserAttributes) {
  const declared = site.userAttributes
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

    async data(ctx: HttpContext, name: string, values: string[]): Promise<unknown> {
      const { others, texts } = partsOf(values[0])
      const choices = await choicesOfRecords(ctx, site, `${name}.`, texts)
      return {
        others: { name: `${name}.__others`, value: JSON.stringify({ texts: {}, others }) },
        inputs: Object.entries(declared).map(([one, attribute]) => ({
          name: `${name}.${one}`,
          label: labelOf(one, attribute),
          help: attribute.help,
          type: attribute.type,
          value: texts[one] ?? '',
          choices:
            attribute.type === 'boolean' ? ['true', 'false'] : attribute.choices?.map(String),
          record: choices.get(one),
        })),
      }
    }
  }
}

/** Returns the form fields for selecting a record, of the attributes that refer to one. */
async function choicesOfRecords(
  ctx: HttpContext,
  site: Site & WithUserAttributes,
  prefix: string,
  texts: Record<string, string>
): Promise<Map<string, FieldView>> {
  const references = [...attributeReferences(site)]
  const fields = references.map(([name, reference]) =>
    referenceField(name, labelOf(name, site.userAttributes[name]), reference)
  )
  const views = await fieldViews(ctx, site, site.models.get(AdminUser.name)!, fields, {
    shown: Object.fromEntries(fields.map(({ name }) => [name, [texts[name] ?? '']])),
    stored: undefined,
    errors: {},
    cleared: new Set(),
    prefix,
  })
  return new Map(views.map((view, index) => [fields[index].name, view]))
}

function labelOf(name: string, { label }: UserAttribute): string {
  return label ?? wordsOf(name)
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
