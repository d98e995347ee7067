/* The admin site, for configuration and for code that extends it. */
import '#crud'

export {
  AdminAccessToken,
  AdminAuditLog,
  AdminEventLog,
  adminGuard,
  AdminPage,
  AdminRole,
  AdminSite,
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
  NumberCard,
  PrivateFolder,
  RecordAction,
  s3Disk,
  section,
  tab,
  TextCard,
  userActor,
  Widget,
} from '#admin'
/* Exported with a star, so that applications can augment the interface AdminUserAttributes in this module. */
export type * from '#admin'
