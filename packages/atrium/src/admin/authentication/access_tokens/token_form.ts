import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { ValueError } from '#crud'
import type { Site } from '../../views/site.js'
import type { WithMcp } from '../../config/mcp_config.js'
import { momentOf } from '../../time/local_time.js'
import type { UpdatePanel } from '../../views/view_options.js'
import AdminAccessToken from '../../models/admin_access_token.js'
import AdminUser from '../../models/admin_user.js'
import {
  MCP,
  modelNames,
  readAbilities,
  LONGEST_TOKEN_NAME,
  NEVER,
  readLifetime,
  readTokenName,
  USUAL_LIFETIME,
} from './token_terms.js'
import type { TokenTerms, WithAccessTokens } from './access_tokens.js'

const FIELDS = ['token_name', 'token_abilities', 'token_read_only', 'token_expires'] as const

type FieldName = (typeof FIELDS)[number]

const LIFETIMES = ['30 days', USUAL_LIFETIME, '1 year', NEVER]

/** Submitted values of the form and their errors. */
export interface TypedToken {
  typed: Partial<Record<FieldName, string>>
  errors: Partial<Record<FieldName, string>>
}

/**
 * Parses the form for a new token.
 *
 * @param sent  values by field name; the last of several is used, except for abilities
 * @returns the submitted values and their errors; `terms` only if there are no errors
 */
export function readTokenForm(sent: Map<string, string[]>): TypedToken & { terms?: TokenTerms } {
  const typed: TypedToken['typed'] = {}
  const errors: TypedToken['errors'] = {}
  const read = <Value>(field: FieldName, make: (text: string) => Value): Value | undefined => {
    const values = sent.get(field) ?? []
    const text = field === 'token_abilities' ? values.join('\n') : (values.at(-1) ?? '')
    typed[field] = text
    try {
      return make(text)
    } catch (error) {
      if (!(error instanceof ValueError)) throw error
      errors[field] = error.message
      return undefined
    }
  }
  const name = read('token_name', readTokenName)
  const abilities = read('token_abilities', readAbilities)
  const readOnly = read('token_read_only', (text) => text === 'true')
  const expiresAt = read('token_expires', readLifetime)
  if (Object.keys(errors).length > 0) return { typed, errors }
  return { typed, errors, terms: { name: name!, abilities: abilities!, readOnly, expiresAt } }
}

/** Returns the fields for the template `partials/field`. */
export function tokenFields(site: Site & WithMcp, { typed, errors }: TypedToken) {
  const text = (key: string, data?: Record<string, unknown>) =>
    site.text(`accessTokens.${key}`, data)
  const firstError = FIELDS.find((name) => errors[name])
  const field = (name: FieldName, more: Record<string, unknown>, attributes: object = {}) => {
    const id = `field-${name}`
    const [help, error] = [more.help, errors[name]]
    const notes = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ')
    return {
      id,
      name,
      control: 'input',
      type: 'text',
      label: text(name),
      value: typed[name] ?? '',
      error,
      ...more,
      attributes: {
        'aria-describedby': notes || undefined,
        'aria-invalid': error ? 'true' : undefined,
        /* Scrolls to the form, which is far down the page. */
        'autofocus': name === firstError,
        ...attributes,
      },
    }
  }
  const lifetime = typed.token_expires || USUAL_LIFETIME
  return [
    field(
      'token_name',
      { required: true, help: text('token_name_help') },
      { required: true, maxlength: LONGEST_TOKEN_NAME, autocomplete: 'off' }
    ),
    field(
      'token_abilities',
      {
        control: 'widget',
        template: 'admin/partials/fields/abilities',
        isGroup: true,
        help: text('token_abilities_help'),
        data: abilityChoices(site, typed.token_abilities?.split('\n') ?? []),
      },
      { autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' }
    ),
    field('token_read_only', {
      control: 'checkbox',
      checked: typed.token_read_only === 'true',
      help: text('token_read_only_help'),
    }),
    field('token_expires', {
      control: 'select',
      choices: LIFETIMES.map((value) => ({
        value,
        label: text(`lifetimes.${value.replace(' ', '_')}`),
        selected: value === lifetime,
      })),
    }),
  ]
}

/* Operations of each check box: one record and lists are both read. */
const BOXES = [['read', 'read_multi'], ['create'], ['update'], ['delete']] as const

/**
 * Returns the check boxes for abilities, a row for each model, and the text of the abilities that have none.
 *
 * @param sent  submitted values: those of check boxes, and the text
 */
function abilityChoices(site: Site & WithMcp, sent: readonly string[]) {
  const text = (key: string, data?: Record<string, unknown>) =>
    site.text(`accessTokens.abilities.${key}`, data)
  const rows = ['*', ...modelNames()].map((model) => {
    const label = model === '*' ? text('all') : model
    const boxes = BOXES.map((operations) => {
      const value = operations.map((operation) => `${model}:${operation}`).join(' ')
      const data = { operation: text(operations[0]), model: label }
      return { value, label: text('box', data), isTicked: sent.includes(value) }
    })
    return { label, boxes }
  })
  const mcp = site.mcp ? { value: MCP, isTicked: sent.includes(MCP) } : null
  const offered = new Set(rows.flatMap(({ boxes }) => boxes.map(({ value }) => value)))
  if (mcp) offered.add(MCP)
  const other = sent.filter((value) => value !== '' && !offered.has(value)).join(', ')
  return { columns: BOXES.map(([operation]) => text(operation)), rows, mcp, other }
}

/**
 * Panel on the page of a user: their access tokens and the form for a new one. Deleting works as in
 * the list of all tokens.
 */
export class TokenPanel implements UpdatePanel {
  readonly template = 'admin/partials/tokens'
  readonly sheet = 'tokens.css'

  constructor(private readonly site: Site & WithAccessTokens & WithMcp) {}

  async data(_ctx: HttpContext, record: LucidRow, state?: unknown) {
    const { models, accessTokens } = this.site
    const user = record as AdminUser
    const tokens = await accessTokens.ofUser(user)
    const typed = (state as TypedToken | undefined) ?? { typed: {}, errors: {} }
    const users = models.get(AdminUser.name)!
    return {
      tokens: tokens.map((token) => shownToken(token)),
      fields: tokenFields(this.site, typed),
      isRefused: Object.keys(typed.errors).length > 0,
      urls: {
        issue: users.url(`/issue_token/${user.id}`),
        remove: models.get(AdminAccessToken.name)!.url('/form_bulk_delete'),
        page: users.url(`/update/${user.id}`),
      },
    }
  }
}

/** Returns the data of an access token for templates. */
export function shownToken(token: AdminAccessToken) {
  const { id, name, abilities, createdAt, lastUsedAt, expiresAt, isExpired, readOnly } = token
  return {
    id,
    name,
    abilities: abilities.join(', '),
    readOnly,
    created: momentOf(createdAt),
    lastUsed: lastUsedAt && momentOf(lastUsedAt),
    expires: expiresAt && momentOf(expiresAt),
    isExpired,
  }
}
