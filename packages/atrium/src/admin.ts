/* The admin site, for configuration and for code that extends it. */
import '#crud'

export {
  AdminAccessToken,
  AdminAuditLog,
  AdminAuthentication,
  AdminEventLog,
  adminGuard,
  AdminPage,
  AdminRole,
  AdminSession,
  AdminSite,
  AdminTokenBlacklist,
  AdminUser,
  AdminView,
  apiGuard,
  BulkAction,
  ChartCard,
  databaseEvents,
  defineConfig,
  EventType,
  ListCard,
  ListColumn,
  ModelView,
  NumberCard,
  RecordAction,
  s3Disk,
  section,
  tab,
  TextCard,
  userActor,
  Widget,
} from '#admin'
/* A star export, so that applications can augment the interface AdminUserAttributes in this module. */
export type * from '#admin'
