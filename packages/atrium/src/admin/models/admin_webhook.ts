import { belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'
import AdminUser from './admin_user.js'

const milliseconds = {
  serializeAs: null,
  consume: (value: unknown) => (value === null || value === undefined ? null : Number(value)),
} as const

/** A URL that is notified of writes. */
export default class AdminWebhook extends AdminModel {
  static table = 'admin_webhooks'

  @column({ isPrimary: true })
  declare id: number

  /** URL that receives the messages */
  @column()
  declare address: string

  @column()
  declare description: string

  /** Class names of the models; empty for all */
  @column(jsonColumn)
  declare models: string[]

  /** `created`, `updated`, `deleted`, or types such as `film.updated`; empty for all */
  @column(jsonColumn)
  declare eventTypes: string[]

  @column({ consume: Boolean })
  declare active: boolean

  /** Encrypted secret of the signatures */
  @column({ serializeAs: null })
  declare secret: string

  /** Encrypted previous secret, also used for signatures until it expires */
  @column({ serializeAs: null })
  declare previousSecret: string | null

  @column(milliseconds)
  declare previousSecretUntil: number | null

  /** True once the current secret was displayed */
  @column({ serializeAs: null, consume: Boolean })
  declare secretShown: boolean

  /** User whose permissions decide what is sent: the user who created the webhook */
  @column()
  declare ownerId: number

  @belongsTo(() => AdminUser, { foreignKey: 'ownerId' })
  declare owner: BelongsTo<typeof AdminUser>

  /** Time of the first failure since the last success; null if the last message was delivered */
  @column(milliseconds)
  declare failingSince: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoUpdate: true })
  declare updatedAt: DateTime | null
}
