import type { HttpContext } from '@adonisjs/core/http'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import { listed } from '#base/errors'
import type { Item } from '#crud'
import type { ModelView } from '../views/model_view.js'
import {
  ALL,
  entryOf,
  type PermissionsDocument,
  permissionsInWords,
} from '../models/permissions_document.js'
import type { Site } from '../views/site.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithAccessTokens } from '../authentication/access_tokens/access_tokens.js'
import type { WithInvitations } from '../authentication/invitations/invitations.js'
import type { WithMcp } from '../config/mcp_config.js'
import type { UpdatePanel } from '../views/view_options.js'
import AdminRole from '../models/admin_role.js'
import AdminUser from '../models/admin_user.js'
import { offeredViews } from '../roles/role_errors.js'
import { TokenPanel } from '../authentication/access_tokens/token_form.js'
import { hasPassword } from '../authentication/passwords/password_rules.js'
import { momentOf } from '../time/local_time.js'

/**
 * Finds models whose records a role can create although it cannot set a required field. Code of the application can
 * fill such fields, so the page only warns of these models.
 *
 * @param views  views of the models that roles can refer to
 * @returns one entry for each such model, with the required fields
 */
function withheldFromCreate(
  views: Iterable<ModelView>,
  document: PermissionsDocument
): Array<{ view: ModelView; fields: string[] }> {
  return [...views].flatMap((view) => {
    const { actions = [], hidden = [], readonly = [] } = entryOf(document, view.name) ?? {}
    const mayCreate = actions.some((action) => action === ALL || action === 'create')
    if (!mayCreate || !view.may('create') || !view.resource.isLoaded) return []
    const withheld = new Set([...hidden, ...readonly])
    const fields = view.resource.createBody.fields
      .filter(({ column, apiName }) => column && isNeeded(column) && withheld.has(apiName))
      .map(({ apiName }) => apiName)
    return fields.length > 0 ? { view, fields } : []
  })
}

/** Returns true for a column that every inserted row must have a value for. */
function isNeeded({ nullable, hasDefault, isPrimary, automatic, generated }: Column): boolean {
  return !nullable && !hasDefault && !isPrimary && !automatic && !generated
}

/* Maximum number of users that are listed; further users are counted. */
const MOST_SHOWN = 20

/** Panel above the form of a role: the permissions in words, the users of the role, and *View as*. */
export class RolePanel implements UpdatePanel {
  readonly template = 'admin/partials/role'
  readonly sheet = 'roles.css'
  readonly place = 'above'

  constructor(private readonly site: Site & WithDatabase) {}

  async data(_ctx: HttpContext, record: LucidRow) {
    const role = record as AdminRole
    const { models, dbConfig } = this.site
    const users = models.get(AdminUser.name)!
    const rows: Array<{ id: number; username: string }> = await dbConfig
      .readingSession()
      .from('admin_user_roles')
      .join('admin_users', 'admin_users.id', 'admin_user_roles.user_id')
      .where('admin_user_roles.role_id', role.id)
      .orderBy('admin_users.username')
      .select('admin_users.id as id', 'admin_users.username as username')
    const warnings = withheldFromCreate(offeredViews(this.site), role.permissions)
    return {
      warnings: warnings.map(({ view, fields }) =>
        this.site.text('roles.page.withheld', {
          model: view.label,
          fields: listed(fields.map((name) => view.labelOf(name))),
        })
      ),
      words: permissionsInWords(role.permissions),
      users: rows.slice(0, MOST_SHOWN).map(({ id, username }) => ({
        username,
        url: users.url(`/update/${id}`),
      })),
      more: Math.max(0, rows.length - MOST_SHOWN),
      viewAs: models.get(AdminRole.name)!.url(`/view_as/${role.id}`),
    }
  }
}

/** Panel on the page of a user: the link to choose a password, and the user's access tokens. */
export class UserPanel implements UpdatePanel {
  readonly template = 'admin/partials/user'
  readonly sheet = 'tokens.css'
  readonly #tokens: TokenPanel

  constructor(
    private readonly site: Site & WithAccessTokens & WithDatabase & WithInvitations & WithMcp
  ) {
    this.#tokens = new TokenPanel(site)
  }

  /** A user without a password continues at the link to choose one. */
  async nextStep({ id }: Item): Promise<string | null> {
    const user = await AdminUser.find(id, { client: this.site.dbConfig.readingSession() })
    return user && !hasPassword(user) ? 'password-link' : null
  }

  async data(ctx: HttpContext, record: LucidRow, state?: unknown) {
    const { models, invitations } = this.site
    const user = record as AdminUser
    const users = models.get(AdminUser.name)!
    const pending = await invitations.of(user.id)
    return {
      ...(await this.#tokens.data(ctx, record, state)),
      username: user.username,
      hasPassword: hasPassword(user),
      pending: pending && momentOf(pending.expiresAt),
      signInAsUrl: user.isSuperuser ? null : users.url(`/sign_in_as/${user.id}`),
      inviteUrl: users.url(`/invite/${user.id}`),
    }
  }
}
