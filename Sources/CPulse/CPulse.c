#include "CPulse.h"

#include "CLibrary.h"

#define FUNCTIONS(FUNCTION) \
  FUNCTION(int, pa_context_connect, \
    (pa_context *c, const char *server, pa_context_flags_t flags, const pa_spawn_api *api), \
    (c, server, flags, api)) \
  FUNCTION(void, pa_context_disconnect, (pa_context *c), (c)) \
  FUNCTION(int, pa_context_errno, (const pa_context *c), (c)) \
  FUNCTION(pa_operation *, pa_context_get_server_info, (pa_context *c, pa_server_info_cb_t cb, void *data), \
    (c, cb, data)) \
  FUNCTION(pa_operation *, pa_context_get_sink_info_by_index, \
    (pa_context *c, uint32_t idx, pa_sink_info_cb_t cb, void *data), \
    (c, idx, cb, data)) \
  FUNCTION(pa_operation *, pa_context_get_sink_info_by_name, \
    (pa_context *c, const char *name, pa_sink_info_cb_t cb, void *data), \
    (c, name, cb, data)) \
  FUNCTION(pa_operation *, pa_context_get_sink_info_list, (pa_context *c, pa_sink_info_cb_t cb, void *data), \
    (c, cb, data)) \
  FUNCTION(pa_operation *, pa_context_get_sink_input_info, \
    (pa_context *c, uint32_t idx, pa_sink_input_info_cb_t cb, void *data), \
    (c, idx, cb, data)) \
  FUNCTION(pa_context_state_t, pa_context_get_state, (const pa_context *c), (c)) \
  FUNCTION(pa_context *, pa_context_new_with_proplist, \
    (pa_mainloop_api *api, const char *name, const pa_proplist *proplist), \
    (api, name, proplist)) \
  FUNCTION(void, pa_context_set_state_callback, (pa_context *c, pa_context_notify_cb_t cb, void *data), (c, cb, data)) \
  FUNCTION(void, pa_context_set_subscribe_callback, (pa_context *c, pa_context_subscribe_cb_t cb, void *data), \
    (c, cb, data)) \
  FUNCTION(pa_operation *, pa_context_subscribe, \
    (pa_context *c, pa_subscription_mask_t m, pa_context_success_cb_t cb, void *data), \
    (c, m, cb, data)) \
  FUNCTION(void, pa_context_unref, (pa_context *c), (c)) \
  FUNCTION(void, pa_operation_cancel, (pa_operation *o), (o)) \
  FUNCTION(pa_operation_state_t, pa_operation_get_state, (const pa_operation *o), (o)) \
  FUNCTION(void, pa_operation_unref, (pa_operation *o), (o)) \
  FUNCTION(void, pa_proplist_free, (pa_proplist *p), (p)) \
  FUNCTION(pa_proplist *, pa_proplist_new, (void), ()) \
  FUNCTION(int, pa_proplist_sets, (pa_proplist *p, const char *key, const char *value), (p, key, value)) \
  FUNCTION(pa_usec_t, pa_rtclock_now, (void), ()) \
  FUNCTION(int, pa_stream_connect_playback, \
    (pa_stream *s, const char *dev, const pa_buffer_attr *attr, pa_stream_flags_t flags, const pa_cvolume *volume, \
      pa_stream *sync), \
    (s, dev, attr, flags, volume, sync)) \
  FUNCTION(pa_operation *, pa_stream_cork, (pa_stream *s, int b, pa_stream_success_cb_t cb, void *data), \
    (s, b, cb, data)) \
  FUNCTION(int, pa_stream_disconnect, (pa_stream *s), (s)) \
  FUNCTION(pa_operation *, pa_stream_drain, (pa_stream *s, pa_stream_success_cb_t cb, void *data), (s, cb, data)) \
  FUNCTION(pa_operation *, pa_stream_flush, (pa_stream *s, pa_stream_success_cb_t cb, void *data), (s, cb, data)) \
  FUNCTION(const pa_buffer_attr *, pa_stream_get_buffer_attr, (pa_stream *s), (s)) \
  FUNCTION(uint32_t, pa_stream_get_device_index, (const pa_stream *s), (s)) \
  FUNCTION(const char *, pa_stream_get_device_name, (const pa_stream *s), (s)) \
  FUNCTION(uint32_t, pa_stream_get_index, (const pa_stream *s), (s)) \
  FUNCTION(pa_stream_state_t, pa_stream_get_state, (const pa_stream *p), (p)) \
  FUNCTION(const pa_timing_info *, pa_stream_get_timing_info, (pa_stream *s), (s)) \
  FUNCTION(int64_t, pa_stream_get_underflow_index, (const pa_stream *p), (p)) \
  FUNCTION(int, pa_stream_is_corked, (const pa_stream *s), (s)) \
  FUNCTION(int, pa_stream_is_suspended, (const pa_stream *s), (s)) \
  FUNCTION(pa_stream *, pa_stream_new_with_proplist, \
    (pa_context *c, const char *name, const pa_sample_spec *ss, const pa_channel_map *map, pa_proplist *p), \
    (c, name, ss, map, p)) \
  FUNCTION(pa_operation *, pa_stream_set_buffer_attr, \
    (pa_stream *s, const pa_buffer_attr *attr, pa_stream_success_cb_t cb, void *data), \
    (s, attr, cb, data)) \
  FUNCTION(void, pa_stream_set_event_callback, (pa_stream *p, pa_stream_event_cb_t cb, void *data), (p, cb, data)) \
  FUNCTION(void, pa_stream_set_latency_update_callback, (pa_stream *p, pa_stream_notify_cb_t cb, void *data), \
    (p, cb, data)) \
  FUNCTION(void, pa_stream_set_moved_callback, (pa_stream *p, pa_stream_notify_cb_t cb, void *data), (p, cb, data)) \
  FUNCTION(void, pa_stream_set_started_callback, (pa_stream *p, pa_stream_notify_cb_t cb, void *data), (p, cb, data)) \
  FUNCTION(void, pa_stream_set_state_callback, (pa_stream *s, pa_stream_notify_cb_t cb, void *data), (s, cb, data)) \
  FUNCTION(void, pa_stream_set_suspended_callback, (pa_stream *p, pa_stream_notify_cb_t cb, void *data), \
    (p, cb, data)) \
  FUNCTION(void, pa_stream_set_underflow_callback, (pa_stream *p, pa_stream_notify_cb_t cb, void *data), \
    (p, cb, data)) \
  FUNCTION(void, pa_stream_set_write_callback, (pa_stream *p, pa_stream_request_cb_t cb, void *data), (p, cb, data)) \
  FUNCTION(pa_operation *, pa_stream_trigger, (pa_stream *s, pa_stream_success_cb_t cb, void *data), (s, cb, data)) \
  FUNCTION(void, pa_stream_unref, (pa_stream *s), (s)) \
  FUNCTION(pa_operation *, pa_stream_update_timing_info, (pa_stream *p, pa_stream_success_cb_t cb, void *data), \
    (p, cb, data)) \
  FUNCTION(size_t, pa_stream_writable_size, (const pa_stream *p), (p)) \
  FUNCTION(int, pa_stream_write, \
    (pa_stream *p, const void *data, size_t nbytes, pa_free_cb_t free_cb, int64_t offset, pa_seek_mode_t seek), \
    (p, data, nbytes, free_cb, offset, seek)) \
  FUNCTION(const char *, pa_strerror, (int error), (error)) \
  FUNCTION(void, pa_threaded_mainloop_free, (pa_threaded_mainloop *m), (m)) \
  FUNCTION(pa_mainloop_api *, pa_threaded_mainloop_get_api, (pa_threaded_mainloop *m), (m)) \
  FUNCTION(void, pa_threaded_mainloop_lock, (pa_threaded_mainloop *m), (m)) \
  FUNCTION(pa_threaded_mainloop *, pa_threaded_mainloop_new, (void), ()) \
  FUNCTION(int, pa_threaded_mainloop_start, (pa_threaded_mainloop *m), (m)) \
  FUNCTION(void, pa_threaded_mainloop_stop, (pa_threaded_mainloop *m), (m)) \
  FUNCTION(void, pa_threaded_mainloop_unlock, (pa_threaded_mainloop *m), (m))

LIBRARY("libpulse.so.0", prosper_pulse_failure, FUNCTIONS)
