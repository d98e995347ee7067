import type { LucidModel } from '@adonisjs/lucid/types/model'
import type { AdminSite } from '../admin_site.js'
import AdminSession from '../models/admin_session.js'
import AdminTokenBlacklist from '../models/admin_token_blacklist.js'
import AdminUser from '../models/admin_user.js'
import type { AdminViewOptions } from '../view_options.js'
import { AdminSessionCrud } from './admin_session_crud.js'
import { AdminUserCrud } from './admin_user_crud.js'
import { adminUserSchemas } from './admin_user_schemas.js'

/**
 * The admin's own models, and what superusers may do with them. [B13]
 */
export function coreViews(site: AdminSite): Array<[LucidModel, AdminViewOptions]> {
  const text = (key: string) => site.text(`core.${key}`)
  const schemas = adminUserSchemas(site.adminUserService)
  return [
    [
      AdminUser,
      {
        label: text('users.label'),
        singular: text('users.singular'),
        createSchema: schemas.create,
        updateSchema: schemas.update,
        virtualFields: ['password'],
        crud: new AdminUserCrud(site),
        listColumns: ['id', 'username', 'is_superuser', 'created_at', 'updated_at'],
        searchableColumns: ['username', 'is_superuser'],
        title: 'username',
        fields: {
          username: { label: text('users.username'), help: text('users.usernameHelp') },
          password: {
            label: text('users.password'),
            help: text('users.passwordHelp'),
            widget: 'password',
          },
          is_superuser: { label: text('users.superuser'), help: text('users.superuserHelp') },
        },
      },
    ],
    [
      AdminSession,
      {
        label: text('sessions.label'),
        singular: text('sessions.singular'),
        allowedActions: ['view', 'delete'],
        crud: new AdminSessionCrud(site),
        listColumns: [
          'user_id',
          'ip_address',
          'device_info',
          'created_at',
          'last_activity',
          'is_active',
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
        allowedActions: ['view'],
        title: 'token',
        fields: { token: { label: text('tokens.token') } },
      },
    ],
  ]
}
