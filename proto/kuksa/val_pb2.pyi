import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DataType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DATA_TYPE_UNSPECIFIED: _ClassVar[DataType]
    DATA_TYPE_STRING: _ClassVar[DataType]
    DATA_TYPE_BOOLEAN: _ClassVar[DataType]
    DATA_TYPE_INT8: _ClassVar[DataType]
    DATA_TYPE_INT16: _ClassVar[DataType]
    DATA_TYPE_INT32: _ClassVar[DataType]
    DATA_TYPE_INT64: _ClassVar[DataType]
    DATA_TYPE_UINT8: _ClassVar[DataType]
    DATA_TYPE_UINT16: _ClassVar[DataType]
    DATA_TYPE_UINT32: _ClassVar[DataType]
    DATA_TYPE_UINT64: _ClassVar[DataType]
    DATA_TYPE_FLOAT: _ClassVar[DataType]
    DATA_TYPE_DOUBLE: _ClassVar[DataType]
    DATA_TYPE_TIMESTAMP: _ClassVar[DataType]
    DATA_TYPE_STRING_ARRAY: _ClassVar[DataType]
    DATA_TYPE_BOOLEAN_ARRAY: _ClassVar[DataType]
    DATA_TYPE_INT8_ARRAY: _ClassVar[DataType]
    DATA_TYPE_INT16_ARRAY: _ClassVar[DataType]
    DATA_TYPE_INT32_ARRAY: _ClassVar[DataType]
    DATA_TYPE_INT64_ARRAY: _ClassVar[DataType]
    DATA_TYPE_UINT8_ARRAY: _ClassVar[DataType]
    DATA_TYPE_UINT16_ARRAY: _ClassVar[DataType]
    DATA_TYPE_UINT32_ARRAY: _ClassVar[DataType]
    DATA_TYPE_UINT64_ARRAY: _ClassVar[DataType]
    DATA_TYPE_FLOAT_ARRAY: _ClassVar[DataType]
    DATA_TYPE_DOUBLE_ARRAY: _ClassVar[DataType]
    DATA_TYPE_TIMESTAMP_ARRAY: _ClassVar[DataType]

class EntryType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_TYPE_UNSPECIFIED: _ClassVar[EntryType]
    ENTRY_TYPE_ATTRIBUTE: _ClassVar[EntryType]
    ENTRY_TYPE_SENSOR: _ClassVar[EntryType]
    ENTRY_TYPE_ACTUATOR: _ClassVar[EntryType]

class ErrorCode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_CODE_UNSPECIFIED: _ClassVar[ErrorCode]
    ERROR_CODE_OK: _ClassVar[ErrorCode]
    ERROR_CODE_INVALID_ARGUMENT: _ClassVar[ErrorCode]
    ERROR_CODE_NOT_FOUND: _ClassVar[ErrorCode]
    ERROR_CODE_PERMISSION_DENIED: _ClassVar[ErrorCode]

class ProviderError(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CODE_UNSPECIFIED: _ClassVar[ProviderError]
    CODE_NETWORK_ERROR: _ClassVar[ProviderError]
    CODE_OVERLOAD: _ClassVar[ProviderError]

class FilterError(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FILTER_ERROR_CODE_UNSPECIFIED: _ClassVar[FilterError]
    FILTER_ERROR_CODE_UNKNOWN_SINGAL_ID: _ClassVar[FilterError]
DATA_TYPE_UNSPECIFIED: DataType
DATA_TYPE_STRING: DataType
DATA_TYPE_BOOLEAN: DataType
DATA_TYPE_INT8: DataType
DATA_TYPE_INT16: DataType
DATA_TYPE_INT32: DataType
DATA_TYPE_INT64: DataType
DATA_TYPE_UINT8: DataType
DATA_TYPE_UINT16: DataType
DATA_TYPE_UINT32: DataType
DATA_TYPE_UINT64: DataType
DATA_TYPE_FLOAT: DataType
DATA_TYPE_DOUBLE: DataType
DATA_TYPE_TIMESTAMP: DataType
DATA_TYPE_STRING_ARRAY: DataType
DATA_TYPE_BOOLEAN_ARRAY: DataType
DATA_TYPE_INT8_ARRAY: DataType
DATA_TYPE_INT16_ARRAY: DataType
DATA_TYPE_INT32_ARRAY: DataType
DATA_TYPE_INT64_ARRAY: DataType
DATA_TYPE_UINT8_ARRAY: DataType
DATA_TYPE_UINT16_ARRAY: DataType
DATA_TYPE_UINT32_ARRAY: DataType
DATA_TYPE_UINT64_ARRAY: DataType
DATA_TYPE_FLOAT_ARRAY: DataType
DATA_TYPE_DOUBLE_ARRAY: DataType
DATA_TYPE_TIMESTAMP_ARRAY: DataType
ENTRY_TYPE_UNSPECIFIED: EntryType
ENTRY_TYPE_ATTRIBUTE: EntryType
ENTRY_TYPE_SENSOR: EntryType
ENTRY_TYPE_ACTUATOR: EntryType
ERROR_CODE_UNSPECIFIED: ErrorCode
ERROR_CODE_OK: ErrorCode
ERROR_CODE_INVALID_ARGUMENT: ErrorCode
ERROR_CODE_NOT_FOUND: ErrorCode
ERROR_CODE_PERMISSION_DENIED: ErrorCode
CODE_UNSPECIFIED: ProviderError
CODE_NETWORK_ERROR: ProviderError
CODE_OVERLOAD: ProviderError
FILTER_ERROR_CODE_UNSPECIFIED: FilterError
FILTER_ERROR_CODE_UNKNOWN_SINGAL_ID: FilterError

class Datapoint(_message.Message):
    __slots__ = ("timestamp", "value")
    TIMESTAMP_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    timestamp: _timestamp_pb2.Timestamp
    value: Value
    def __init__(self, timestamp: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("string", "bool", "int32", "int64", "uint32", "uint64", "float", "double", "string_array", "bool_array", "int32_array", "int64_array", "uint32_array", "uint64_array", "float_array", "double_array")
    STRING_FIELD_NUMBER: _ClassVar[int]
    BOOL_FIELD_NUMBER: _ClassVar[int]
    INT32_FIELD_NUMBER: _ClassVar[int]
    INT64_FIELD_NUMBER: _ClassVar[int]
    UINT32_FIELD_NUMBER: _ClassVar[int]
    UINT64_FIELD_NUMBER: _ClassVar[int]
    FLOAT_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_FIELD_NUMBER: _ClassVar[int]
    STRING_ARRAY_FIELD_NUMBER: _ClassVar[int]
    BOOL_ARRAY_FIELD_NUMBER: _ClassVar[int]
    INT32_ARRAY_FIELD_NUMBER: _ClassVar[int]
    INT64_ARRAY_FIELD_NUMBER: _ClassVar[int]
    UINT32_ARRAY_FIELD_NUMBER: _ClassVar[int]
    UINT64_ARRAY_FIELD_NUMBER: _ClassVar[int]
    FLOAT_ARRAY_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_ARRAY_FIELD_NUMBER: _ClassVar[int]
    string: str
    bool: bool
    int32: int
    int64: int
    uint32: int
    uint64: int
    float: float
    double: float
    string_array: StringArray
    bool_array: BoolArray
    int32_array: Int32Array
    int64_array: Int64Array
    uint32_array: Uint32Array
    uint64_array: Uint64Array
    float_array: FloatArray
    double_array: DoubleArray
    def __init__(self, string: _Optional[str] = ..., bool: _Optional[bool] = ..., int32: _Optional[int] = ..., int64: _Optional[int] = ..., uint32: _Optional[int] = ..., uint64: _Optional[int] = ..., float: _Optional[float] = ..., double: _Optional[float] = ..., string_array: _Optional[_Union[StringArray, _Mapping]] = ..., bool_array: _Optional[_Union[BoolArray, _Mapping]] = ..., int32_array: _Optional[_Union[Int32Array, _Mapping]] = ..., int64_array: _Optional[_Union[Int64Array, _Mapping]] = ..., uint32_array: _Optional[_Union[Uint32Array, _Mapping]] = ..., uint64_array: _Optional[_Union[Uint64Array, _Mapping]] = ..., float_array: _Optional[_Union[FloatArray, _Mapping]] = ..., double_array: _Optional[_Union[DoubleArray, _Mapping]] = ...) -> None: ...

class StringArray(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, values: _Optional[_Iterable[str]] = ...) -> None: ...

class BoolArray(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[bool]
    def __init__(self, values: _Optional[_Iterable[bool]] = ...) -> None: ...

class Int32Array(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class Int64Array(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class Uint32Array(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class Uint64Array(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class FloatArray(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class DoubleArray(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, values: _Optional[_Iterable[float]] = ...) -> None: ...

class SignalID(_message.Message):
    __slots__ = ("id", "path")
    ID_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    id: int
    path: str
    def __init__(self, id: _Optional[int] = ..., path: _Optional[str] = ...) -> None: ...

class SampleInterval(_message.Message):
    __slots__ = ("interval_ms",)
    INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    interval_ms: int
    def __init__(self, interval_ms: _Optional[int] = ...) -> None: ...

class Filter(_message.Message):
    __slots__ = ("duration_ms", "min_sample_interval")
    DURATION_MS_FIELD_NUMBER: _ClassVar[int]
    MIN_SAMPLE_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    duration_ms: int
    min_sample_interval: SampleInterval
    def __init__(self, duration_ms: _Optional[int] = ..., min_sample_interval: _Optional[_Union[SampleInterval, _Mapping]] = ...) -> None: ...

class Metadata(_message.Message):
    __slots__ = ("path", "id", "data_type", "entry_type", "description", "comment", "deprecation", "unit", "allowed_values", "min", "max", "min_sample_interval")
    PATH_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
    ENTRY_TYPE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    DEPRECATION_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_VALUES_FIELD_NUMBER: _ClassVar[int]
    MIN_FIELD_NUMBER: _ClassVar[int]
    MAX_FIELD_NUMBER: _ClassVar[int]
    MIN_SAMPLE_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    path: str
    id: int
    data_type: DataType
    entry_type: EntryType
    description: str
    comment: str
    deprecation: str
    unit: str
    allowed_values: Value
    min: Value
    max: Value
    min_sample_interval: SampleInterval
    def __init__(self, path: _Optional[str] = ..., id: _Optional[int] = ..., data_type: _Optional[_Union[DataType, str]] = ..., entry_type: _Optional[_Union[EntryType, str]] = ..., description: _Optional[str] = ..., comment: _Optional[str] = ..., deprecation: _Optional[str] = ..., unit: _Optional[str] = ..., allowed_values: _Optional[_Union[Value, _Mapping]] = ..., min: _Optional[_Union[Value, _Mapping]] = ..., max: _Optional[_Union[Value, _Mapping]] = ..., min_sample_interval: _Optional[_Union[SampleInterval, _Mapping]] = ...) -> None: ...

class GetValueRequest(_message.Message):
    __slots__ = ("signal_id",)
    SIGNAL_ID_FIELD_NUMBER: _ClassVar[int]
    signal_id: SignalID
    def __init__(self, signal_id: _Optional[_Union[SignalID, _Mapping]] = ...) -> None: ...

class GetValueResponse(_message.Message):
    __slots__ = ("data_point",)
    DATA_POINT_FIELD_NUMBER: _ClassVar[int]
    data_point: Datapoint
    def __init__(self, data_point: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...

class GetValuesRequest(_message.Message):
    __slots__ = ("signal_ids",)
    SIGNAL_IDS_FIELD_NUMBER: _ClassVar[int]
    signal_ids: _containers.RepeatedCompositeFieldContainer[SignalID]
    def __init__(self, signal_ids: _Optional[_Iterable[_Union[SignalID, _Mapping]]] = ...) -> None: ...

class GetValuesResponse(_message.Message):
    __slots__ = ("data_points",)
    DATA_POINTS_FIELD_NUMBER: _ClassVar[int]
    data_points: _containers.RepeatedCompositeFieldContainer[Datapoint]
    def __init__(self, data_points: _Optional[_Iterable[_Union[Datapoint, _Mapping]]] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("signal_paths", "buffer_size", "filter")
    SIGNAL_PATHS_FIELD_NUMBER: _ClassVar[int]
    BUFFER_SIZE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    signal_paths: _containers.RepeatedScalarFieldContainer[str]
    buffer_size: int
    filter: Filter
    def __init__(self, signal_paths: _Optional[_Iterable[str]] = ..., buffer_size: _Optional[int] = ..., filter: _Optional[_Union[Filter, _Mapping]] = ...) -> None: ...

class SubscribeResponse(_message.Message):
    __slots__ = ("entries",)
    class EntriesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: Datapoint
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.MessageMap[str, Datapoint]
    def __init__(self, entries: _Optional[_Mapping[str, Datapoint]] = ...) -> None: ...

class SubscribeByIdRequest(_message.Message):
    __slots__ = ("signal_ids", "buffer_size", "filter")
    SIGNAL_IDS_FIELD_NUMBER: _ClassVar[int]
    BUFFER_SIZE_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    signal_ids: _containers.RepeatedScalarFieldContainer[int]
    buffer_size: int
    filter: Filter
    def __init__(self, signal_ids: _Optional[_Iterable[int]] = ..., buffer_size: _Optional[int] = ..., filter: _Optional[_Union[Filter, _Mapping]] = ...) -> None: ...

class SubscribeByIdResponse(_message.Message):
    __slots__ = ("entries",)
    class EntriesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Datapoint
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.MessageMap[int, Datapoint]
    def __init__(self, entries: _Optional[_Mapping[int, Datapoint]] = ...) -> None: ...

class ActuateRequest(_message.Message):
    __slots__ = ("signal_id", "value")
    SIGNAL_ID_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    signal_id: SignalID
    value: Value
    def __init__(self, signal_id: _Optional[_Union[SignalID, _Mapping]] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...

class ActuateResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BatchActuateRequest(_message.Message):
    __slots__ = ("actuate_requests",)
    ACTUATE_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    actuate_requests: _containers.RepeatedCompositeFieldContainer[ActuateRequest]
    def __init__(self, actuate_requests: _Optional[_Iterable[_Union[ActuateRequest, _Mapping]]] = ...) -> None: ...

class BatchActuateResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListMetadataRequest(_message.Message):
    __slots__ = ("root", "filter")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    root: str
    filter: str
    def __init__(self, root: _Optional[str] = ..., filter: _Optional[str] = ...) -> None: ...

class ListMetadataResponse(_message.Message):
    __slots__ = ("metadata",)
    METADATA_FIELD_NUMBER: _ClassVar[int]
    metadata: _containers.RepeatedCompositeFieldContainer[Metadata]
    def __init__(self, metadata: _Optional[_Iterable[_Union[Metadata, _Mapping]]] = ...) -> None: ...

class PublishValueRequest(_message.Message):
    __slots__ = ("signal_id", "data_point")
    SIGNAL_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_POINT_FIELD_NUMBER: _ClassVar[int]
    signal_id: SignalID
    data_point: Datapoint
    def __init__(self, signal_id: _Optional[_Union[SignalID, _Mapping]] = ..., data_point: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...

class PublishValueResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("name", "version", "commit_hash")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMIT_HASH_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    commit_hash: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., commit_hash: _Optional[str] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "message")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    code: ErrorCode
    message: str
    def __init__(self, code: _Optional[_Union[ErrorCode, str]] = ..., message: _Optional[str] = ...) -> None: ...

class ProvideActuationRequest(_message.Message):
    __slots__ = ("actuator_identifiers",)
    ACTUATOR_IDENTIFIERS_FIELD_NUMBER: _ClassVar[int]
    actuator_identifiers: _containers.RepeatedCompositeFieldContainer[SignalID]
    def __init__(self, actuator_identifiers: _Optional[_Iterable[_Union[SignalID, _Mapping]]] = ...) -> None: ...

class ProvideActuationResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PublishValuesRequest(_message.Message):
    __slots__ = ("request_id", "data_points")
    class DataPointsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Datapoint
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DATA_POINTS_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    data_points: _containers.MessageMap[int, Datapoint]
    def __init__(self, request_id: _Optional[int] = ..., data_points: _Optional[_Mapping[int, Datapoint]] = ...) -> None: ...

class PublishValuesResponse(_message.Message):
    __slots__ = ("request_id", "status")
    class StatusEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Error
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Error, _Mapping]] = ...) -> None: ...
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    status: _containers.MessageMap[int, Error]
    def __init__(self, request_id: _Optional[int] = ..., status: _Optional[_Mapping[int, Error]] = ...) -> None: ...

class ProvideSignalRequest(_message.Message):
    __slots__ = ("signals_sample_intervals",)
    class SignalsSampleIntervalsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: SampleInterval
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[SampleInterval, _Mapping]] = ...) -> None: ...
    SIGNALS_SAMPLE_INTERVALS_FIELD_NUMBER: _ClassVar[int]
    signals_sample_intervals: _containers.MessageMap[int, SampleInterval]
    def __init__(self, signals_sample_intervals: _Optional[_Mapping[int, SampleInterval]] = ...) -> None: ...

class ProvideSignalResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class BatchActuateStreamRequest(_message.Message):
    __slots__ = ("actuate_requests",)
    ACTUATE_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    actuate_requests: _containers.RepeatedCompositeFieldContainer[ActuateRequest]
    def __init__(self, actuate_requests: _Optional[_Iterable[_Union[ActuateRequest, _Mapping]]] = ...) -> None: ...

class BatchActuateStreamResponse(_message.Message):
    __slots__ = ("signal_id", "error")
    SIGNAL_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    signal_id: SignalID
    error: Error
    def __init__(self, signal_id: _Optional[_Union[SignalID, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ...) -> None: ...

class UpdateFilterRequest(_message.Message):
    __slots__ = ("request_id", "filters_update")
    class FiltersUpdateEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Filter
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Filter, _Mapping]] = ...) -> None: ...
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    FILTERS_UPDATE_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    filters_update: _containers.MessageMap[int, Filter]
    def __init__(self, request_id: _Optional[int] = ..., filters_update: _Optional[_Mapping[int, Filter]] = ...) -> None: ...

class UpdateFilterResponse(_message.Message):
    __slots__ = ("request_id", "filter_error")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_ERROR_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    filter_error: FilterError
    def __init__(self, request_id: _Optional[int] = ..., filter_error: _Optional[_Union[FilterError, str]] = ...) -> None: ...

class GetProviderValueRequest(_message.Message):
    __slots__ = ("request_id", "signal_ids")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_IDS_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    signal_ids: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, request_id: _Optional[int] = ..., signal_ids: _Optional[_Iterable[int]] = ...) -> None: ...

class GetProviderValueResponse(_message.Message):
    __slots__ = ("request_id", "entries")
    class EntriesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: int
        value: Datapoint
        def __init__(self, key: _Optional[int] = ..., value: _Optional[_Union[Datapoint, _Mapping]] = ...) -> None: ...
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    request_id: int
    entries: _containers.MessageMap[int, Datapoint]
    def __init__(self, request_id: _Optional[int] = ..., entries: _Optional[_Mapping[int, Datapoint]] = ...) -> None: ...

class ProviderErrorIndication(_message.Message):
    __slots__ = ("provider_error",)
    PROVIDER_ERROR_FIELD_NUMBER: _ClassVar[int]
    provider_error: ProviderError
    def __init__(self, provider_error: _Optional[_Union[ProviderError, str]] = ...) -> None: ...

class OpenProviderStreamRequest(_message.Message):
    __slots__ = ("provide_actuation_request", "publish_values_request", "batch_actuate_stream_response", "provide_signal_request", "update_filter_response", "get_provider_value_response", "provider_error_indication")
    PROVIDE_ACTUATION_REQUEST_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_VALUES_REQUEST_FIELD_NUMBER: _ClassVar[int]
    BATCH_ACTUATE_STREAM_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PROVIDE_SIGNAL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FILTER_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    GET_PROVIDER_VALUE_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_ERROR_INDICATION_FIELD_NUMBER: _ClassVar[int]
    provide_actuation_request: ProvideActuationRequest
    publish_values_request: PublishValuesRequest
    batch_actuate_stream_response: BatchActuateStreamResponse
    provide_signal_request: ProvideSignalRequest
    update_filter_response: UpdateFilterResponse
    get_provider_value_response: GetProviderValueResponse
    provider_error_indication: ProviderErrorIndication
    def __init__(self, provide_actuation_request: _Optional[_Union[ProvideActuationRequest, _Mapping]] = ..., publish_values_request: _Optional[_Union[PublishValuesRequest, _Mapping]] = ..., batch_actuate_stream_response: _Optional[_Union[BatchActuateStreamResponse, _Mapping]] = ..., provide_signal_request: _Optional[_Union[ProvideSignalRequest, _Mapping]] = ..., update_filter_response: _Optional[_Union[UpdateFilterResponse, _Mapping]] = ..., get_provider_value_response: _Optional[_Union[GetProviderValueResponse, _Mapping]] = ..., provider_error_indication: _Optional[_Union[ProviderErrorIndication, _Mapping]] = ...) -> None: ...

class OpenProviderStreamResponse(_message.Message):
    __slots__ = ("provide_actuation_response", "publish_values_response", "batch_actuate_stream_request", "provide_signal_response", "update_filter_request", "get_provider_value_request")
    PROVIDE_ACTUATION_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    PUBLISH_VALUES_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    BATCH_ACTUATE_STREAM_REQUEST_FIELD_NUMBER: _ClassVar[int]
    PROVIDE_SIGNAL_RESPONSE_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FILTER_REQUEST_FIELD_NUMBER: _ClassVar[int]
    GET_PROVIDER_VALUE_REQUEST_FIELD_NUMBER: _ClassVar[int]
    provide_actuation_response: ProvideActuationResponse
    publish_values_response: PublishValuesResponse
    batch_actuate_stream_request: BatchActuateStreamRequest
    provide_signal_response: ProvideSignalResponse
    update_filter_request: UpdateFilterRequest
    get_provider_value_request: GetProviderValueRequest
    def __init__(self, provide_actuation_response: _Optional[_Union[ProvideActuationResponse, _Mapping]] = ..., publish_values_response: _Optional[_Union[PublishValuesResponse, _Mapping]] = ..., batch_actuate_stream_request: _Optional[_Union[BatchActuateStreamRequest, _Mapping]] = ..., provide_signal_response: _Optional[_Union[ProvideSignalResponse, _Mapping]] = ..., update_filter_request: _Optional[_Union[UpdateFilterRequest, _Mapping]] = ..., get_provider_value_request: _Optional[_Union[GetProviderValueRequest, _Mapping]] = ...) -> None: ...
