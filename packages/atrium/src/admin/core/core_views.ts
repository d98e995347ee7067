import type { LucidRow, LucidModel } from '@adonisjs/lucid/types/model'
import { LucidCrud, type HookOptions } from '#crud'
import AdminSession from '../models/admin_session.js'
import AdminAccessToken from '../models/admin_access_token.js'
import AdminRole from '../models/admin_role.js'
import AdminSavedView from '../models/admin_saved_view.js'
import AdminTokenBlacklist from '../models/admin_token_blacklist.js'
import AdminUser, { ROLES } from '../models/admin_user.js'
import AdminWebhook from '../models/admin_webhook.js'
import { attributesWidget } from '../user_attributes/attribute_fields.js'
import type { AdminViewOptions, FieldOptions } from '../views/view_options.js'
import { FactorPanel } from '../authentication/factors/factor_panel.js'
import { permissionsWidget } from '../roles/matrix/permissions_widget.js'
import { newPasswordWidget } from '../forms/fields/widgets/new_password_widget.js'
import {
  abilitiesColumn,
  currentSessionColumn,
  holdersColumn,
  mayColumn,
  rolesColumn,
  rolesWidget,
} from './user_and_role_fields.js'
import { AdminRoleCrud, adminRoleSchemas } from '../roles/admin_role_crud.js'
import { AdminUserCrud, type UserSite } from './admin_user_crud.js'
import {
  AdminUserEndpoints,
  adminUserSchemas,
  INVITE,
  REVOKE_TOKENS,
} from './admin_user_endpoints.js'
import { WebhookEndpoints, webhookSchemas } from '../webhooks/webhook_crud.js'
import { modelTicks, typeTicks } from '../webhooks/webhook_ticks.js'
import { WebhookPanel } from '../webhooks/webhook_panel.js'
import { UserPanel, RolePanel } from './panels.js'
import type { SessionManager } from '../authentication/sessions/session_manager.js'
import type { Site } from '../views/site.js'
import type { WithAuthentication } from '../authentication/admin_authentication.js'
import type { WithDatabase } from '../config/database_config.js'
import type { WithJobs } from '../jobs/jobs.js'
import type { WithMcp } from '../config/mcp_config.js'
import type { WithUserAttributes } from '../config/user_attributes.js'
import type { WithWebhooks } from '../webhooks/webhooks.js'

/** The parts of the site that the pages of its own models need */
type CoreSite = Site &
  UserSite &
  WithAuthentication &
  WithDatabase &
  WithMcp &
  WithJobs &
  WithWebhooks

/** CRUD of sessions. Deleting a session ends it and revokes the tokens of the session. */
class AdminSessionCrud extends LucidCrud<typeof AdminSession> {
  readonly #sessions: SessionManager

  constructor(sessions: SessionManager) {
    super(AdminSession)
    this.#sessions = sessions
  }

  async prepareDelete(record: LucidRow, { client }: HookOptions): Promise<void> {
    await this.#sessions.end(record as AdminSession, client)
  }
}

const ICONS = {
  roles: 'M12 3 4.5 6v5.5c0 4.6 3.1 8 7.5 9.5 4.4-1.5 7.5-4.9 7.5-9.5V6zM9 12l2 2 4-4',
  users:
    'M5.5 8a3.5 3.5 0 1 0 7 0 3.5 3.5 0 1 0-7 0M2.5 20v-1a6 6 0 0 1 6-6h1a6 6 0 0 1 6 6v1M16 4.8a3.5 3.5 0 0 1 0 6.4M18.5 13.9a6 6 0 0 1 3 5.1v1',
  savedViews: 'M6 3.5h12v17l-6-4.5-6 4.5z',
  sessions: 'M3.5 5h17v11h-17zM8.5 20h7M12 16v4',
  accessTokens:
    'M3.5 15.5a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M11.2 12.3 20 3.5M16.5 7l3 3M14 9.5l2 2',
  webhooks:
    'M9 17a3.5 3.5 0 1 1-3-5.2L9.5 6M15 17a3.5 3.5 0 1 1 3-5.2L14.5 6M9 17h6M9.5 6a2.5 2.5 0 0 1 5 0',
  tokens: 'M3.5 12a8.5 8.5 0 1 0 17 0 8.5 8.5 0 1 0-17 0M6 6l12 12',
}

/** Returns the views of the admin site's models, for superusers. */
export function coreViews(site: CoreSite): Array<[LucidModel, AdminViewOptions]> {
  const text = (key: string) => site.text(`core.${key}`)
  const schemas = adminUserSchemas(site.adminUserService, site.userAttributes)
  const roleSchemas = adminRoleSchemas()
  return [
    [
      AdminUser,
      {
        label: text('users.label'),
        singular: text('users.singular'),
        icon: ICONS.users,
        createSchema: schemas.create,
        updateSchema: schemas.update,
        virtualFields: ['password', INVITE, REVOKE_TOKENS, ROLES],
        crud: new AdminUserCrud(site),
        endpointCreator: AdminUserEndpoints,
        listColumns: [
          'id',
          'username',
          'is_superuser',
          rolesColumn(site),
          'created_at',
          'updated_at',
        ],
        searchableColumns: ['username', 'is_superuser'],
        title: 'username',
        fields: {
          username: { label: text('users.username'), help: text('users.usernameHelp') },
          password: {
            label: text('users.password'),
            help: text('users.passwordHelp'),
            widget: newPasswordWidget(site),
          },
          [INVITE]: { label: text('users.invite'), help: text('users.inviteHelp') },
          email: { label: text('users.email'), help: text('users.emailHelp'), widget: 'email' },
          [REVOKE_TOKENS]: {
            label: text('users.revokeTokens'),
            help: text('users.revokeTokensHelp'),
          },
          is_superuser: { label: text('users.superuser'), help: text('users.superuserHelp') },
          [ROLES]: {
            label: text('users.roles'),
            help: text('users.rolesHelp'),
            widget: rolesWidget(site),
          },
          attributes: attributesField(site),
        },
        panel: [new FactorPanel(site), new UserPanel(site)],
      },
    ],
    [
      AdminRole,
      {
        label: text('roles.label'),
        singular: text('roles.singular'),
        icon: ICONS.roles,
        createSchema: roleSchemas.create,
        updateSchema: roleSchemas.update,
        crud: new AdminRoleCrud(site),
        listColumns: ['name', 'description', holdersColumn(site), mayColumn(site), 'updated_at'],
        searchableColumns: ['name', 'description'],
        defaultSort: 'name',
        title: 'name',
        fields: {
          name: { label: text('roles.name') },
          description: { label: text('roles.description') },
          permissions: {
            label: text('roles.permissions'),
            help: text('roles.permissionsHelp'),
            widget: permissionsWidget(site),
          },
        },
        panel: new RolePanel(site),
      },
    ],
    [
      AdminAccessToken,
      {
        label: site.text('accessTokens.label'),
        singular: site.text('accessTokens.singular'),
        icon: ICONS.accessTokens,
        allowedActions: ['view', 'delete'],
        crud: site.accessTokens.crud,
        listColumns: [
          'name',
          'user_id',
          abilitiesColumn(site),
          'created_at',
          'last_used_at',
          'expires_at',
        ],
        searchableColumns: ['name'],
        title: 'name',
        fields: {
          name: { label: site.text('accessTokens.columns.name') },
          user_id: { label: site.text('accessTokens.columns.user') },
          created_at: { label: site.text('accessTokens.columns.created') },
          last_used_at: { label: site.text('accessTokens.columns.lastUsed') },
          expires_at: { label: site.text('accessTokens.columns.expires') },
        },
      },
    ],
    webhookView(site),
    [
      AdminSavedView,
      {
        label: text('savedViews.label'),
        singular: text('savedViews.singular'),
        icon: ICONS.savedViews,
        allowedActions: ['view', 'delete'],
        listColumns: ['name', 'model', 'owner_id', 'shared', 'query', 'updated_at'],
        searchableColumns: ['name', 'model', 'query'],
        title: 'name',
        fields: {
          name: { label: text('savedViews.name') },
          model: { label: text('savedViews.model') },
          owner_id: { label: text('savedViews.owner') },
          shared: { label: text('savedViews.shared') },
          query: { label: text('savedViews.query') },
        },
      },
    ],
    [
      AdminSession,
      {
        label: text('sessions.label'),
        singular: text('sessions.singular'),
        icon: ICONS.sessions,
        allowedActions: ['view', 'delete'],
        crud: new AdminSessionCrud(site.sessionManager),
        listColumns: [
          'user_id',
          'ip_address',
          'device_info',
          'created_at',
          'last_activity',
          'is_active',
          currentSessionColumn(site),
        ],
        title: ({ device_info: device, ip_address: address }) =>
          [device, address].filter(Boolean).join(', '),
        fields: {
          user_id: { label: text('sessions.user') },
          ip_address: { label: text('sessions.address') },
          device_info: { label: text('sessions.device') },
          created_at: { label: text('sessions.begun') },
          last_activity: { label: text('sessions.lastActivity') },
          is_active: { label: text('sessions.active') },
        },
      },
    ],
    [
      AdminTokenBlacklist,
      {
        label: text('tokens.label'),
        singular: text('tokens.singular'),
        icon: ICONS.tokens,
        allowedActions: ['view'],
        title: 'token',
        fields: { token: { label: text('tokens.token') } },
      },
    ],
  ]
}

/** Returns the view of webhooks. */
function webhookView(site: Site & WithWebhooks & WithJobs): [LucidModel, AdminViewOptions] {
  const text = (key: string) => site.text(`webhooks.${key}`)
  const schemas = webhookSchemas(site, site.webhooks.settings)
  return [
    AdminWebhook,
    {
      label: text('label'),
      singular: text('singular'),
      icon: ICONS.webhooks,
      createSchema: schemas.create,
      updateSchema: schemas.update,
      crud: site.webhooks.crud,
      endpointCreator: WebhookEndpoints,
      listColumns: ['address', 'description', 'models', 'event_types', 'active', 'owner_id'],
      searchableColumns: ['address', 'description'],
      title: 'address',
      fields: {
        address: { label: text('fields.address'), help: text('fields.addressHelp'), widget: 'url' },
        description: { label: text('fields.description') },
        models: {
          label: text('fields.models'),
          help: text('fields.modelsHelp'),
          widget: modelTicks(site),
        },
        event_types: {
          label: text('fields.eventTypes'),
          help: text('fields.eventTypesHelp'),
          widget: typeTicks(site),
        },
        active: { label: text('fields.active') },
        owner_id: { label: text('fields.owner'), help: text('fields.ownerHelp') },
      },
      panel: new WebhookPanel(site),
    },
  ]
}

/** Returns the options of the attributes field, which is edited as JSON if the application declares no attributes. */
function attributesField(site: Site & WithUserAttributes): FieldOptions {
  const label = site.text('core.users.attributes')
  const isDeclared = Object.keys(site.userAttributes).length > 0
  return isDeclared
    ? { label, widget: attributesWidget(site) }
    : { label, help: site.text('core.users.attributesHelp') }
}
